"""Python calculation over evidence, in a sandbox: import from `tools.calc.tool`."""
