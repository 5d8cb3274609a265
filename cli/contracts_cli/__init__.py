"""The command line of provider-contracts: options, commands and what they print."""
