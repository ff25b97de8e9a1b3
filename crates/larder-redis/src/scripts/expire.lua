local entries = tonumber(ARGV[1])
local now = clock()
for at = 1, entries do
  local value = redis.pcall('GET', KEYS[at])
  local ends = ending_of(KEYS[at], now)
  redis.call('UNLINK', KEYS[at])
  if type(value) == 'string' and ends > now then
    local marked = parts(value)
    for index, part in ipairs(marked) do
      marked[index] = string.sub(part, 1, 8) .. '\1' .. string.sub(part, 10)
    end
    if #marked > 0 then
      redis.call('SET', KEYS[at], ARGV[1 + at] .. table.concat(marked), 'PXAT', ends)
    end
  end
end
local number = KEYS[entries + 1]
if number then
  local life, fresh, channel = unpack(ARGV, entries + 2, entries + 4)
  announce(number, life, fresh, channel, entries + 5, #ARGV)
end
return 0
