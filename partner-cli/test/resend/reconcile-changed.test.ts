import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { preparedList } from '../prepared-list.ts'

describe('reconcile --resend and orderIds that were changed on their way', () => {
  test('sends nothing while an order is in doubt, and says of each why', async (t) => {
    const list = [
      'R-490,ann@example.com,5000', // 2: credited as R-00490
      'm-1,ann@example.com,5250', // 3: missing
      '1.23457E+11,ann@example.com,5000', // 4: shortened
      '98765432109876500,ann@example.com,5000', // 5: may be shortened
      ' m-2 ,ann@example.com,5000', // 6: white space
      'm-3,ann@example.com,5000', // 7: and again with another amount
      'm-3,ann@example.com,6000', // 8
      'm-4,ann@example.com,5000', // 9: and again, unreadable
      'm-4,ann@example.com,many', // 10
      'm-5,ann@example.com,5000', // 11: and again in another spelling
      'M-05,ann@example.com,5000', // 12
      'm-6,ann@example.com,999', // 13: gives no EP
      'm-7,Bob@example.com,2000', // 14: missing, listed twice alike
      'm-7,Bob@example.com,2000', // 15
      'm–8,ann@example.com,5000', // 16: a dash that a word processor made
      "'00123,ann@example.com,5000", // 17: an apostrophe of a spreadsheet
      '"490,123",ann@example.com,5000', // 18: credited as 490123
      '"77.001,00",ann@example.com,5000', // 19: a number as a spreadsheet shows it
      '2-Jan,ann@example.com,5000', // 20: credited as 1-2, which a spreadsheet takes for a date
      '3/4/2026,ann@example.com,5000', // 21: credited as 3-4
      '2026-05-06,ann@example.com,5000', // 22
      '#NAME?,ann@example.com,5000', // 23: credited as =A1
      '########,ann@example.com,5000', // 24: the column was too narrow
      '1234567890123456800,ann@example.com,5000', // 25: credited as 1234567890123456789, which JavaScript rounds
    ]
    const credited = ['R-00490', '490123', '1-2', '3-4', '=A1', '1234567890123456789']
    const { reconcile, sent } = await preparedList(t, credited, list)
    const { code, stdout, stderr: plan } = await reconcile(['--resend'], { answer: 'y' })
    deepEqual(await sent(), [])
    equal(code, 1)
    match(stdout, /^missing +3 +m-1 /m)
    match(plan, /In doubt, 18 orders:/)
    match(plan, /^2 +R-490 +credited as R-00490: 5 EP to /m)
    match(plan, /^4 +1\.23457E\+11 +a spreadsheet shortened this number/m)
    match(plan, /^5 +98765432109876500 +a spreadsheet may have shortened this number$/m)
    match(plan, /^25 +1234567890123456800 +a program may have rounded this number$/m)
    match(plan, /^6 +" m-2 " +its spelling has signs/m)
    match(plan, /^7 +m-3 +line 8 lists it with other values$/m)
    match(plan, /^9 +m-4 +line 10 lists it, too, and cannot be read$/m)
    match(plan, /^20 +2-Jan +a spreadsheet may have made this date, or this error, of another text$/m)
    match(plan, /^11 +m-5 +line 12 lists it as M-05$/m)
    match(plan, /^12 +M-05 +line 11 lists it as m-5$/m)
    doesNotMatch(plan, /m-1|m-6|m-7|Send them/)
    match(plan, /send it by itself:\npartner-credit-cli award --tenant t1 --order /)
  })

  test('sends nothing that a spreadsheet or an encoding has made of an order that is credited', async (t) => {
    const damaged: [string, string][] = [
      ['1001.10', '1001.1'], // a number with decimals
      ['1002.50', '"1002,5"'],
      ['.75', '0.75'],
      ['+84123', '84123'],
      ['123:45', '123:45:00'], // hours and minutes
      ['2026-05-06 15:00', '5/6/2026 15:00'],
      ['Mạ-1', 'M?-1'], // a letter that the encoding does not have
      ['Mộ-2', 'M\ufffd-2'],
      ['Mã-3', 'MÃ£-3'], // UTF-8 that was read as Windows-1252
      ['đ-4', 'Ä‘-4'],
      ['Đơn-5', 'Don-5'], // without its accents
      ["O'Neil-6", 'O’Neil-6'], // a word processor's quotes
      ['R&D-7', 'R&amp;D-7'], // written for a web page
      ['A 8', 'A%208'], // or for an address
      ['501', '$501'], // an amount of money
      ['502', '502 ₫'],
      ['5003', '"$5,003.00"'],
      ['-504', '(504)'], // an accountant's minus
      ['0.55', '55%'],
      ['56%', '0.56'],
      ['1-57', '1/57'], // a date that is shown in another way
      ['1-58', '01/58'],
      ['Mã-59', 'MĂ£-59'], // UTF-8 that was read as Windows-1258
      ['Mã-60', 'M√£-60'], // or as Mac Roman
      ['đ-61', 'ƒë-61'],
      ['ĐH-62', 'ÐH-62'], // Windows-1258 that was read as Windows-1252
      ['R-0063', 'R-٠٠٦٣'], // the digits of another language
      ['R-00801', '"R-00801,"'], // what stood around it in a text, a list or a program
      ['R-00802', 'R-00802;'],
      ['R-00803', '[R-00803]'],
      ['R-00804', '=R-00804'],
      ['R-00805', '"""R-00805"'],
      ['R-00806;', 'R-00806'],
      ['A-807', 'А-807'], // a Cyrillic letter that looks alike
      ['А-808', 'A-808'],
      ['R-809', 'R809'], // without its signs
      ['12E3', '12-E3'],
      ['810', '٨١٠'],
      ['٨١١', '811'],
    ]
    const { reconcile, sent } = await preparedList(
      t,
      damaged.map(([orderId]) => orderId),
      damaged.map(([, cell]) => `${cell},user@example.com,5000`),
    )
    await reconcile(['--resend', '--yes'])
    deepEqual(await sent(), [])
  })

  test('sends no order of a user who has as many EP for the same letters and digits, with signs between the digits', async (t) => {
    const uuid = '3f2504e0-4f89-11d3-9a0c-0305e82c3301'
    const credited = [uuid, '2026-0001', '20260002', 'K1-11']
    const list = [
      `${uuid.replaceAll('-', '')},ann@example.com,5000`, // 2
      '20260001,ann@example.com,5000', // 3
      '2026-0002,ann@example.com,5000', // 4
      '2026-0003,ann@example.com,5000', // 5: and again without its sign
      '20260003,ann@example.com,5000', // 6
    ]
    const certain = [
      'K11-1,bob@example.com,5000', // another user's
      'K111,ann@example.com,6000', // another amount
    ]
    const { write, reconcile, sent } = await preparedList(t, credited, [...list, ...certain], {
      userEmail: 'ann@example.com',
    })
    const { stderr } = await reconcile(['--resend', '--yes'])
    deepEqual(await sent(), [])
    match(stderr, /In doubt, 5 orders:/)
    doesNotMatch(stderr, /K11-1|K111/)
    match(
      stderr,
      /^3 +20260001 +it may be 2026-0001, which the list does not have with these values: the same user has as many EP/m,
    )
    match(stderr, /^5 +2026-0003 +it may be 20260003, which line 6 lists with the same values$/m)
    write([...credited.map((orderId) => `${orderId},ann@example.com,5000`), ...certain])
    await reconcile(['--resend', '--yes'])
    deepEqual(await sent(), ['K11-1 bob@example.com 5', 'K111 ann@example.com 6'])
  })

  test('sends no order of a user who has as many EP for an award that is not in the list, whatever its orderId', async (t) => {
    const changed: [string, string][] = [
      ['ORD00490', 'ORD0049O'],
      ['SO-1001', '1001'], // without its prefix
      ['order-of-a-long-name', 'order-of-a-lo'], // cut off
      ['123456789', '123456792'], // rounded to 24 bits
      ['12345678901234567890', '9223372036854775807'], // the largest number of 64 bits
      ['AB-77', 'BA-77'], // typed wrong
    ]
    const unchanged = ['AB-78,ann@example.com,6000', 'AB-79,bob@example.com,5000']
    const rowOf = (orderId: string) => `${orderId},ann@example.com,5000`
    const { write, reconcile, sent } = await preparedList(
      t,
      changed.map(([orderId]) => orderId),
      [...changed.map(([, cell]) => rowOf(cell)), ...unchanged],
      { userEmail: 'ann@example.com' },
    )
    const { stdout, stderr } = await reconcile(['--resend', '--yes'])
    deepEqual(await sent(), [])
    match(stderr, /In doubt, 6 orders:/)
    doesNotMatch(stderr, /AB-78|AB-79/)
    match(
      stderr,
      /^3 +1001 +it may be \S+, which the list does not have with these values: the same user has as many EP for it$/m,
    )
    match(
      stdout,
      /^missing +3 +1001 +5 EP for ann@example.com not credited; it may be \S+, which the list does not have with these values/m,
    )
    write([...changed.map(([orderId]) => rowOf(orderId)), ...unchanged])
    await reconcile(['--resend', '--yes'])
    deepEqual(await sent(), ['AB-78 ann@example.com 6', 'AB-79 bob@example.com 5'])
  })

  test('sends no orderId that a spreadsheet or an encoding may have made of another one', async (t) => {
    const doubtful = [
      ...['$601', '602 ₫', '603 VND', '€604', '(605)', '66%', '6.7%'],
      ...['45678.5', '"45678,25"'], // a date with its time, as the number of days since 1900
      ...['2026-05-06T00:00:00', '2026-05-06T00:00:00.000Z', '6 May 2026', '"May 6, 2026"', '6-January'],
      ...['MĂ£-68', 'M√£-69', 'ƒê-70', 'm·∫°-71', 'ÐH-72', 'R-٧٣'],
    ]
    const list = doubtful.map((cell) => `${cell},user@example.com,5000`)
    const { reconcile, sent } = await preparedList(t, [], list)
    const { stderr } = await reconcile(['--resend', '--yes'])
    deepEqual(await sent(), [])
    match(stderr, new RegExp(`In doubt, ${doubtful.length} orders:`))
  })
})
