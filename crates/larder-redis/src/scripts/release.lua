if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('UNLINK', KEYS[1])
redis.call('PUBLISH', ARGV[2], ARGV[3])
return 1
