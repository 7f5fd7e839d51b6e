"""How well the local stages do on documents whose truth is known; needs neither table nor bucket."""
