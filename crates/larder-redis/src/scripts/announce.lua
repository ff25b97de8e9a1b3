-- Raises the number and publishes, for each message from ARGV[first] to ARGV[last].
local function announce(key, life, fresh, channel, first, last)
  -- The first is a write that a full server lets through; after it the others pass as well.
  redis.call('PEXPIRE', key, life)
  redis.call('SET', key, fresh, 'PX', life, 'NX')
  for at = first, last do
    local number = redis.pcall('INCR', key)
    if type(number) ~= 'number' or number < 1 then
      redis.call('UNLINK', key)
      redis.call('SET', key, fresh, 'PX', life)
      redis.call('INCR', key)
    end
    -- Read back as text: a script's own numbers are exact up to 2^53 only.
    redis.call('PUBLISH', channel, ARGV[at] .. redis.call('GET', key))
  end
end
