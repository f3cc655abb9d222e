"""The Streamlit explorer of Pareto fronts."""
