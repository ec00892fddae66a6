type Case = { timestamp: string; now: number; answer: string }

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** What the service accepts unless its operator has set another window. */
const windowMs = 5 * minuteMs

/** Says that X-Timestamp is far from now, or from the service's clock if its response is known; null if it is near. */
export function timeRemark({ timestamp, now, answer }: Case): string | null {
  if (!/^[1-9]\d{12}$/.test(timestamp)) return null
  const [, serverTime] = /"serverTime"\s*:\s*(\d{13})\b/.exec(answer) ?? []
  const skewMs = Number(timestamp) - (serverTime === undefined ? now : Number(serverTime))
  if (Math.abs(skewMs) <= windowMs) return null
  const side = skewMs < 0 ? 'before' : 'after'
  const clock = serverTime === undefined ? 'the clock of this computer' : 'the clock of the service'
  const remark = `X-Timestamp is ${amountOf(Math.abs(skewMs))} ${side} ${clock}.`
  const window = 'By default the service accepts 5 minutes to either side'
  if (isTimeZone(skewMs) && (skewMs > 0 || serverTime !== undefined)) {
    return `${remark} A local time was probably taken for UTC: the difference is that of a time zone. ${window}.`
  }
  if (skewMs > 0) return `${remark} One of the two clocks is wrong. ${window}.`
  if (serverTime !== undefined) {
    return `${remark} The clock that was read is wrong, or the request was sent long after it was signed. ${window}.`
  }
  return `${remark} ${window}, so to send it again, sign it again with the current time.`
}

function amountOf(ms: number): string {
  if (ms > 31 * dayMs) return 'more than a month'
  if (ms >= 2 * dayMs) return `${Math.round(ms / dayMs)} days`
  if (ms >= 2 * hourMs) return `${Math.round((2 * ms) / hourMs) / 2} hours`
  return `${Math.round(ms / minuteMs)} minutes`
}

/** Nearly all time zones differ from UTC by whole or half hours, up to 14. */
function isTimeZone(skewMs: number): boolean {
  const halfHours = Math.round((2 * Math.abs(skewMs)) / hourMs)
  const isClose = Math.abs(Math.abs(skewMs) - (halfHours * hourMs) / 2) < 2 * minuteMs
  return isClose && halfHours >= 2 && halfHours <= 28
}
