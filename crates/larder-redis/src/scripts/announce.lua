-- Raises the number and publishes, for each message from ARGV[first] on.
local function announce(key, life, fresh, channel, first, last)
  -- The first is a write that a full server lets through; after it the others pass as well.
  redis.call('PEXPIRE', key, life)
  redis.call('SET', key, fresh, 'PX', life, 'NX')
  for at = first, last do
    local number = redis.pcall('INCR', key)
    if type(number) ~= 'number' or number < 1 or number >= 1e15 then
      redis.call('UNLINK', key)
      redis.call('SET', key, fresh, 'PX', life)
      number = redis.call('INCR', key)
    end
    redis.call('PUBLISH', channel, ARGV[at] .. string.format('%.0f', number))
  end
end
