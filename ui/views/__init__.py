"""The pages of the window: widgets and layout."""
