"""What a server trusts: names of its own, pages of web sites, and peers of the network."""
