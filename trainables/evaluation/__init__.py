"""Reading trained models: settings and readings are plain data; measuring itself loads torch when asked."""
