"""Pure reasoning about machines, networks, time and money: no Qt, no child process, no clock."""
