/** The scripts that run in Redis for each request to a host: the state, bounds and rules of `host-state.ts` in Lua. */
import { hostBounds } from '../../core/fetch/host-state.ts';
import { type RedisScript, scriptOf } from './redis-script.ts';

const { tolerance, firstGap, longestGap, longestClosure, patience } = hostBounds;
const { goodAnswers, longestWait, minute } = hostBounds;

/**
 * Reads the hash of the host. Its fields `t:<id>` are the active turns, with the time at which they end by
 * themselves; all others are fields of `HostState`, absent while they are as in `newHostState()`.
 */
const read = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local host, turns, over = {}, 0, {}
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local name, value = fields[i], tonumber(fields[i + 1])
  if string.sub(name, 1, 2) ~= 't:' then host[name] = value
  elseif value < now then over[#over + 1] = name
  else turns = turns + 1 end
end
if #over > 0 then redis.call('HDEL', KEYS[1], unpack(over)) end
`;

const hostLife = 600_000; // milliseconds after which Redis forgets a host without requests

/**
 * ARGV: id, delay, most (0: no limit), life of the turn, 1 for a hop, most starts within a minute (0: no limit), which
 * the list of the second key has, the last one first. Gives the state of the turn, and
 * milliseconds to wait. A start more than `longestWait` away is not reserved: the host may have changed until then.
 */
export const takeTurn: RedisScript = scriptOf(`${read}
local id, delay, most, life, isHop = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5] == '1'
local closed = host.closed or 0
if now < closed and now - (host.busySince or now) >= ${patience} then
  return { 'unavailable', math.max(host.paused or 0, closed) - now }
end
local start = math.max(now, closed, (host.last or 0) + math.max(host.distance or 0, delay))
local perMinute = tonumber(ARGV[6])
if perMinute > 0 then
  local oldest = redis.call('LINDEX', KEYS[2], perMinute - 1)
  if oldest then start = math.max(start, tonumber(oldest) + ${minute}) end
end
if start - now > ${longestWait} then return { 'closed', start - now } end
local limit = host.limit or 0
if most > 0 and (limit == 0 or most < limit) then limit = most end
if not isHop and limit > 0 and turns >= limit then return { 'full', 50 + now % 100 } end
local more = (host.failures or 0) - ${tolerance}
local gap = more < 0 and 0 or math.min(${firstGap} * 2 ^ more, ${longestGap})
local values = { 'last', start, 'distance', math.max(gap, delay) }
if not isHop then values[5], values[6] = 't:' .. id, start + life end
redis.call('HSET', KEYS[1], unpack(values))
redis.call('PEXPIRE', KEYS[1], ${hostLife})
if perMinute > 0 then
  redis.call('LPUSH', KEYS[2], start)
  redis.call('LTRIM', KEYS[2], 0, perMinute - 1)
  redis.call('PEXPIRE', KEYS[2], ${minute + longestWait})
end
return { 'granted', start - now }
`);

/** ARGV: id, outcome (\`good\`, \`bad\` or \`none\`), milliseconds since the request was sent, Retry-After in ms. */
export const giveTurn: RedisScript = scriptOf(`
redis.call('HDEL', KEYS[1], 't:' .. ARGV[1])
local trouble = redis.call('HMGET', KEYS[1], 'busySince', 'failures', 'limit')
if ARGV[2] ~= 'bad' and not (trouble[1] or trouble[2] or trouble[3]) then return 1 end
${read}
turns = turns + 1
local sentAt, pause = now - tonumber(ARGV[3]), tonumber(ARGV[4])
local values, gone = {}, {}
local function set(name, value) values[#values + 1] = name; values[#values + 1] = value end
if ARGV[2] == 'good' then
  if host.busySince then gone[#gone + 1] = 'busySince' end
  if (host.failures or 0) > 0 then set('failures', math.floor(host.failures / 2)) end
  if host.limit and turns >= host.limit and sentAt >= (host.lowered or 0) then
    local good = (host.good or 0) + 1
    if good < ${goodAnswers} then set('good', good)
    elseif host.limit + 1 >= host['end'] then gone[#gone + 1] = 'limit'
    else set('good', 0); set('limit', host.limit + 1) end
  end
elseif ARGV[2] == 'bad' then
  if pause > 0 then
    if not host.busySince or now - (host.closed or 0) > ${longestClosure} then set('busySince', now) end
    set('closed', math.max(host.closed or 0, now + math.min(pause, ${longestClosure})))
    set('paused', math.max(host.paused or 0, now + pause))
  end
  if sentAt >= (host.failedAt or 0) then
    set('failures', (host.failures or 0) + 1)
    set('failedAt', now)
  end
  if turns > 1 and sentAt >= (host.lowered or 0) then
    if not host.limit then set('end', turns) end
    set('limit', math.max(1, math.floor(math.min(host.limit or turns, turns) / 2)))
    set('lowered', now)
    set('good', 0)
  end
end
if #gone > 0 then redis.call('HDEL', KEYS[1], unpack(gone)) end
if #values > 0 then redis.call('HSET', KEYS[1], unpack(values)) end
if #values > 0 then redis.call('PEXPIRE', KEYS[1], ${hostLife}) end
return 1
`);
