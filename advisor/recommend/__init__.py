"""Which options a user has, what each costs, and in which order they are advised."""
