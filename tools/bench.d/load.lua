-- load - wrk sends one program again and again, and counts what it is answered (tools/bench.d/serve.py).
--
-- The last line: answers, those with the program's output, those of 429 with Retry-After, connections
-- and requests that failed, microseconds, and of the latency the median and the 99th percentile.

local threads = {}

function setup(thread)
   table.insert(threads, thread)
end

function init(arguments)
   wrk.method = "POST"
   wrk.body = '{"code": "print(\\"hi\\")", "timeout_ms": 60000}'
   wrk.headers["Content-Type"] = "application/json"
   ran, refused = 0, 0
end

function response(status, headers, body)
   if status == 200 and body:find('"stdout":"hi\\n"', 1, true) then
      ran = ran + 1
   elseif status == 429 and headers["Retry-After"] then
      refused = refused + 1
   end
end

function done(summary, latency)
   local ran, refused = 0, 0
   for _, thread in ipairs(threads) do
      ran, refused = ran + thread:get("ran"), refused + thread:get("refused")
   end
   local e = summary.errors
   print(string.format("%d %d %d %d %d %d %d", summary.requests, ran, refused, e.connect + e.read + e.write + e.timeout,
      summary.duration, latency:percentile(50), latency:percentile(99)))
end
