-- Little-endian numbers by hand: the structs that servers bring differ in what they can do.
local function number(bytes, from, to)
  local sum = 0
  for at = to, from, -1 do
    sum = sum * 256 + string.byte(bytes, at)
  end
  return sum
end

-- The part with the distance, in milliseconds, between its end and its key's.
local function ending(part, earlier)
  local bytes = {}
  for at = 1, 6 do
    bytes[at] = string.char(earlier % 256)
    earlier = math.floor(earlier / 256)
  end
  return string.sub(part, 1, 10) .. table.concat(bytes) .. string.sub(part, 17)
end

-- The parts of a container, as far as they can be read.
local function parts(value)
  local found, at = {}, 17
  for _ = 1, 2 do
    if #value < at + 19 then
      break
    end
    local stop = at + 20 + 16 * string.byte(value, at + 9) + number(value, at + 16, at + 19)
    if #value < stop - 1 then
      break
    end
    local schema = string.sub(value, at, at + 7)
    local twice = found[1] and string.sub(found[1], 1, 8) == schema
    if string.byte(value, at + 8) <= 1 and not twice then
      found[#found + 1] = string.sub(value, at, stop - 1)
    end
    at = stop
  end
  return found
end

local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- When a key ends. Time goes on while a script runs, so "now and what is left" may be later than
-- that, and what is moved with it would live longer; a server that cannot tell is asked the other
-- way round.
local function ending_of(key, now)
  local ends = redis.pcall('PEXPIRETIME', key)
  if type(ends) ~= 'number' then
    ends = now + redis.call('PTTL', key)
  end
  return ends
end
