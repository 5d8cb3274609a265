"""Text as it came: encoding damage, whose fault it is, and how to show or cut text safely. Pure."""
