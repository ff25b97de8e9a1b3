return vouch(1, tonumber(ARGV[1]), 2)
