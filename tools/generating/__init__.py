"""What is made from the tables of the protocol: wire table, TypeScript, style sheet, reference pages, golden frames."""
