return {redis.call('PTTL', KEYS[1]), redis.call('GET', KEYS[1])}
