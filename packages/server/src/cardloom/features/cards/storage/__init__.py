"""What cards keep for themselves: values by key, in a store of their own and in one that their package shares."""
