print(open("/proc/self/oom_score_adj").read(), open("/proc/self/oom_adj").read())
