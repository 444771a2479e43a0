"""Families of models for families.py: one module per family and shared modules."""
