"""Another server of this protocol, used as if its sessions were here."""
