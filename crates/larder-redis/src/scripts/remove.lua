local life, fresh, channel = unpack(ARGV, 1, 3)
for at = 2, #KEYS do
  redis.call('UNLINK', KEYS[at])
end
announce(KEYS[1], life, fresh, channel, 4, #ARGV)
return 0
