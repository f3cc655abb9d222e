"""Parts that models are composed of: plain torch modules."""
