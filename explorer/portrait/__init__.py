"""What runs say of themselves on MLflow's pages, whoever writes them: names, descriptions, and a sweep's summary."""
