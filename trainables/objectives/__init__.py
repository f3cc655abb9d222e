"""What critics and generators minimise, for one trial or for a pack of them."""
