local token, life, barrier, channel, wake, part = unpack(ARGV, 1, 6)
local value = redis.pcall('GET', KEYS[1])
if type(value) ~= 'string' or string.sub(value, 1, 16) ~= token then
  return 0
end
if #KEYS > 1 then
  local tokens = vouch(2, tonumber(barrier), 7)
  if not tokens then
    return 0
  end
  part = listing(part, tokens)
end
local now, other = clock(), ''
local ends = now + tonumber(life)
local key = ends
for _, old in ipairs(parts(value)) do
  local stop = ending_of(KEYS[1], now) - number(old, 11, 16)
  if string.sub(old, 1, 8) ~= string.sub(part, 1, 8) and stop > now then
    key = math.max(ends, stop)
    other = ending(old, key - stop)
    break
  end
end
if key > now then
  part = ends > now and ending(part, key - ends) or ''
  redis.call('SET', KEYS[1], token .. part .. other, 'PXAT', key)
else
  redis.call('UNLINK', KEYS[1])
end
redis.call('PUBLISH', channel, wake)
return 1
