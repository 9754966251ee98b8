/** What the Redis store does in one step, in Lua: a value and its place in the index change together. */

const put = `
  redis.call('SET', KEYS[1], ARGV[1])
  if ARGV[3] ~= '' then redis.call('PEXPIREAT', KEYS[1], ARGV[3]) end
  redis.call('ZADD', KEYS[2], 0, ARGV[2])`;

/** Name of the value, index; value, key, expiry. */
export const setScript: string = put;

/** The same, and what is expected there: 1 when it was. */
export const replaceScript: string = `
  if redis.call('GET', KEYS[1]) ~= (ARGV[4] or false) then return 0 end
  ${put}
  return 1`;

/** Name of the value, index; key. */
export const removeScript = `
  redis.call('DEL', KEYS[1])
  redis.call('ZREM', KEYS[2], ARGV[1])`;

/** Index, names of values; keys. The places of those that are there; the others leave the index. */
export const sweepScript = `
  local alive = {}
  for at, key in ipairs(ARGV) do
    if redis.call('EXISTS', KEYS[at + 1]) == 1 then table.insert(alive, at)
    else redis.call('ZREM', KEYS[1], key) end
  end
  return alive`;

/** Index, names of values; keys. */
export const forgetScript = `
  for at, key in ipairs(ARGV) do
    redis.call('DEL', KEYS[at + 1])
    redis.call('ZREM', KEYS[1], key)
  end`;
