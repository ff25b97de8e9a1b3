local head, token, life = unpack(ARGV)
local value = redis.pcall('GET', KEYS[1])
local container = type(value) == 'string' and #value >= 16
if container and (head == '' or string.sub(value, 1, #head) ~= head) then
  return {0, string.sub(value, 1, 16), #value > 16 and 1 or 0}
end
if value then
  redis.call('UNLINK', KEYS[1])
end
redis.call('SET', KEYS[1], token, 'PX', life)
return {1, token, 0}
