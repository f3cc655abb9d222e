"""Running a sweep: plan, packs, Ray Tune, progress, resume."""
