local life, fresh = tonumber(ARGV[1]), ARGV[2]
for at = 1, #KEYS do
  renew(KEYS[at], life)
end
local number = redis.pcall('GET', KEYS[1])
-- Nineteen digits compare as text like the numbers that they are.
if type(number) == 'string' and string.find(number, '^[1-9]%d*$')
  and (#number < 19 or #number == 19 and number <= '9223372036854775807') then
  return number
end
redis.call('UNLINK', KEYS[1])
redis.call('SET', KEYS[1], fresh, 'PX', life)
return fresh
