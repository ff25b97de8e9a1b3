local token, new, life, barrier, part, fresh, channel = unpack(ARGV, 1, 7)
barrier = tonumber(barrier)
local value = redis.pcall('GET', KEYS[1])
redis.call('UNLINK', KEYS[1])
local put = 0
if type(value) == 'string' and string.sub(value, 1, 16) == token then
  local tokens = vouch(3, barrier, 9)
  if tokens then
    if #tokens > 0 then
      part = listing(part, tokens)
    end
    if tonumber(life) > 0 then
      redis.call('SET', KEYS[1], new .. part, 'PX', life)
    end
    put = 1
  end
end
if KEYS[2] then
  announce(KEYS[2], barrier, fresh, channel, 8, 8)
end
return put
