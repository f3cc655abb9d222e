"""MLflow as a place: how it is reached, and the names under which a sweep lies there."""
