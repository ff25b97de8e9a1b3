local function renew(key, life)
  if redis.call('PTTL', key) < life then
    redis.call('PEXPIRE', key, life)
  end
end

-- The tokens of the barriers from KEYS[first] on, which ARGV[asked] and what follows ask for; nil
-- if one is not as asked.
local function vouch(first, life, asked)
  local tokens = {}
  for at = first, #KEYS do
    local ask = ARGV[asked + at - first]
    local mode, token = string.sub(ask, 1, 1), string.sub(ask, 2)
    local found = redis.pcall('GET', KEYS[at])
    if type(found) ~= 'string' or #found ~= 16 then
      if mode == '+' then
        if found then
          redis.call('UNLINK', KEYS[at])
        end
        redis.call('SET', KEYS[at], token, 'PX', life)
        found = token
      else
        found = ''
      end
    end
    if mode == '=' and found ~= token then
      return nil
    end
    tokens[#tokens + 1] = found
  end
  for at = first, #KEYS do
    renew(KEYS[at], life)
  end
  return tokens
end

-- The part with the heads of these tokens in its list.
local function listing(part, tokens)
  local list = {}
  for at = 1, string.byte(part, 10) do
    local from = 5 + 16 * at
    list[at] = string.sub(part, from, from + 7) .. string.sub(tokens[at], 1, 8)
  end
  list = table.concat(list)
  return string.sub(part, 1, 20) .. list .. string.sub(part, 21 + #list)
end
