# llama.cpp's own HTTP server as the package xllamacpp builds it. Arguments: a GGUF file, a port.
import sys
import time

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.model_alias = {"tiny-text"}
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[2])
params.n_ctx = 16384
params.n_parallel = 8
params.cpuparams.n_threads = 2
params.use_jinja = True
params.endpoint_metrics = True
server = xllamacpp.Server(params)
while True:
    time.sleep(3600)
