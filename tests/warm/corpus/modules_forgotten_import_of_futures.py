# status: 1
import concurrent

concurrent.futures.ThreadPoolExecutor(1)
