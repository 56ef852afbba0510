"""The names and commands of the earlier KernelAgent's pipeline, done by the program kernelagent (docs/python.md).

python -m Fuser.auto_agent, Fuser.pipeline, Fuser.subgraph_extractor, Fuser.dispatch_kernel_agent, Fuser.compose_end_to_end, Fuser.cli run
"""
