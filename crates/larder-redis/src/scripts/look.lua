local value = redis.pcall('GET', KEYS[1])
return {redis.call('PTTL', KEYS[1]), type(value) == 'string' and value}
