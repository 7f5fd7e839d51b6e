"""What only developers use: measuring, evaluating, filling, drawing samples; commands say so if it is not installed."""
