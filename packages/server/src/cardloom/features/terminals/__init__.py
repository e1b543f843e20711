"""Shells in real terminals."""
