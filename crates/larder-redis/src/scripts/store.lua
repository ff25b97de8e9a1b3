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
life = tonumber(life)
local left, key, other = redis.call('PTTL', KEYS[1]), life, ''
for _, old in ipairs(parts(value)) do
  local ends = left - number(old, 11, 16)
  if string.sub(old, 1, 8) ~= string.sub(part, 1, 8) and ends > 0 then
    key = math.max(life, ends)
    other = ending(old, key - ends)
    break
  end
end
if key > 0 then
  part = life > 0 and ending(part, key - life) or ''
  redis.call('SET', KEYS[1], token .. part .. other, 'PX', key)
else
  redis.call('UNLINK', KEYS[1])
end
redis.call('PUBLISH', channel, wake)
return 1
