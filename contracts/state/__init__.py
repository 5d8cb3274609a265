"""What earlier runs saw: kept evidence, the last listings, free chats and spend. Never the text of a completion."""
