"""Where the marks of pictures stand. Templates draw them as inline SVG without any style."""
