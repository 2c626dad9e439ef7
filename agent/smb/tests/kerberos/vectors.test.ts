import { describe, expect, test } from 'vitest';
import { ctsDecrypt, ctsEncrypt } from '../../kerberos/crypto/ciphertext-stealing.ts';
import { checksum, decrypt, encrypt, isChecksum } from '../../kerberos/crypto/encryption.ts';
import { nFold, stringToKey, usageKey } from '../../kerberos/crypto/key-derivation.ts';

// Published test vectors: RFC 3961 A.1, RFC 3962 B, RFC 8009 A.

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const text = (value: string) => Buffer.from(value, 'utf8');

test.each([
  ['012345', 8, 'be072631276b1955'],
  ['password', 7, '78a07b6caf85fa'],
  ['Rough Consensus, and Running Code', 8, 'bb6ed30870b7f0e0'],
  ['password', 21, '59e4a8ca7c0385c3c37b3f6d2000247cb6e6bd5b3e'],
  ['MASSACHVSETTS INSTITVTE OF TECHNOLOGY', 24, 'db3b0d8f0b061e603282b308a50841229ad798fab9540c1b'],
  ['Q', 21, '518a54a2 15a8452a 518a54a2 15a8452a 518a54a2 15'],
  ['ba', 21, 'fb25d531 ae897449 9f52fd92 ea9857c4 ba24cf29 7e'],
  ['kerberos', 8, '6b657262 65726f73'],
  ['kerberos', 16, '6b657262 65726f73 7b9b5b2b 93132b93'],
  ['kerberos', 21, '8372c236 344e5f15 50cd0747 e15d62ca 7a5a3bce a4'],
  ['kerberos', 32, '6b657262 65726f73 7b9b5b2b 93132b93 5c9bdcda d95c9899 c4cae4de e6d6cae4'],
])('n-fold of "%s" to %i bytes', (input, bytes, expected) => {
  expect(nFold(text(input), bytes)).toEqual(hex(expected));
});

const raeburn = text('ATHENA.MIT.EDUraeburn');
const saltOfRfc8009 = Buffer.concat([hex('10DF9DD783E5BC8ACEA1730E74355F61'), raeburn]);
const x64 = 'X'.repeat(64);

const passwords: [type: number, iterations: number, password: string, salt: Buffer, key: string][] = [
  [17, 1, 'password', raeburn, '42263c6e89f4fc28b8df68ee09799f15'],
  [18, 1, 'password', raeburn, 'fe697b52bc0d3ce14432ba036a92e65bbb52280990a2fa27883998d72af30161'],
  [17, 2, 'password', raeburn, 'c651bf29e2300ac27fa469d693bdda13'],
  [18, 2, 'password', raeburn, 'a2e16d16b36069c135d5e9d2e25f896102685618b95914b467c67622225824ff'],
  [17, 1200, 'password', raeburn, '4c01cd46d632d01e6dbe230a01ed642a'],
  [18, 1200, 'password', raeburn, '55a6ac740ad17b4846941051e1e8b0a7548d93b0ab30a8bc3ff16280382b8c2a'],
  [17, 5, 'password', hex('1234567878563412'), 'e9b23d52273747dd5c35cb55be619d8e'],
  [
    18,
    5,
    'password',
    hex('1234567878563412'),
    '97a4e786be20d81a382d5ebc96d5909cabcdadc87ca48f574504159f16c36e31',
  ],
  [17, 1200, x64, text('pass phrase equals block size'), '59d1bb789a828b1aa54ef9c2883f69ed'],
  [
    18,
    1200,
    x64,
    text('pass phrase equals block size'),
    '89adee3608db8bc71f1bfbfe459486b05618b70cbae22092534e56c553ba4b34',
  ],
  [17, 1200, `${x64}X`, text('pass phrase exceeds block size'), 'cb8005dc5f90179a7f02104c0018751d'],
  [
    18,
    1200,
    `${x64}X`,
    text('pass phrase exceeds block size'),
    'd78c5c9cb872a8c9dad4697f0bb5b2d21496c82beb2caeda2112fceea057401b',
  ],
  [17, 50, '\u{1D11E}', text('EXAMPLE.COMpianist'), 'f149c1f2e154a73452d43e7fe62a56e5'],
  [
    18,
    50,
    '\u{1D11E}',
    text('EXAMPLE.COMpianist'),
    '4b6d9839f84406df1f09cc166db4b83c571848b784a3d6bdc346589a3e393f9e',
  ],
  [19, 32_768, 'password', saltOfRfc8009, '089BCA48B105EA6EA77CA5D2F39DC5E7'],
  [20, 32_768, 'password', saltOfRfc8009, '45BD806DBF6A833A9CFFC1C94589A222367A79BC21C413718906E9F578A78467'],
];

test.each(passwords)(
  'the key of type %i after %i iterations of "%s"',
  async (type, iterations, password, salt, key) => {
    const parameters = Buffer.alloc(4);
    parameters.writeUInt32BE(iterations);
    const { value } = await stringToKey(type, password, salt, parameters, 1);
    expect(value).toEqual(hex(key));
  },
);

describe('ciphertext stealing', () => {
  const key = text('chicken teriyaki');
  const soup = text("I would like the General Gau's Chicken, please, and wonton soup.");
  test.each([
    [17, 'c6353568f2bf8cb4d8a580362da7ff7f97'],
    [31, 'fc00783e0efdb2c1d445d4c8eff7ed2297687268d6ecccc0c07b25e25ecfe5'],
    [32, '39312523a78662d5be7fcbcc98ebf5a897687268d6ecccc0c07b25e25ecfe584'],
    [47, '97687268d6ecccc0c07b25e25ecfe584b3fffd940c16a18c1b5549d2f838029e39312523a78662d5be7fcbcc98ebf5'],
    [48, '97687268d6ecccc0c07b25e25ecfe5849dad8bbb96c4cdc03bc103e1a194bbd839312523a78662d5be7fcbcc98ebf5a8'],
    [
      64,
      '97687268d6ecccc0c07b25e25ecfe58439312523a78662d5be7fcbcc98ebf5a84807efe836ee89a526730dbc2f7bc8409dad8bbb96c4cdc03bc103e1a194bbd8',
    ],
  ])('of %i bytes, both ways', (length, expected) => {
    expect(ctsEncrypt(key, soup.subarray(0, length))).toEqual(hex(expected));
    expect(ctsDecrypt(key, hex(expected))).toEqual(soup.subarray(0, length));
  });
});

const key19 = { encryptionType: 19, value: hex('3705D96080C17728A0E800EAB6E0D23C') };
const key20 = {
  encryptionType: 20,
  value: hex('6D404D37FAF79F9DF0D33568D320669800EB4836472EA8A026D16B7182460C52'),
};
const usage = 2;

test.each([
  [key19, 'checksum', 'B31A018A48F54776F403E9A396325DC3'],
  [key19, 'encryption', '9B197DD1E8C5609D6E67C3E37C62C72E'],
  [key19, 'integrity', '9FDA0E56AB2D85E1569A688696C26A6C'],
  [key20, 'checksum', 'EF5718BE86CC84963D8BBB5031E9F5C4BA41F28FAF69E73D'],
  [key20, 'encryption', '56AB22BEE63D82D7BC5227F6773F8EA7A5EB1C825160C38312980C442E5C7E49'],
  [key20, 'integrity', '69B16514E3CD8E56B82010D5C73012B622C4D00FFC23ED1F'],
] as const)('key derivation: %o for %s', (key, purpose, expected) => {
  expect(usageKey(key, usage, purpose)).toEqual(hex(expected));
});

const plain = hex('000102030405060708090A0B0C0D0E0F1011121314');
test.each([
  [
    key19,
    0,
    '7E5895EAF2672435BAD817F545A37148',
    'EF85FB890BB8472F4DAB20394DCA781DAD877EDA39D50C870C0D5A0A8E48C718',
  ],
  [
    key19,
    6,
    '7BCA285E2FD4130FB55B1A5C83BC5B24',
    '84D7F30754ED987BAB0BF3506BEB09CFB55402CEF7E6877CE99E247E52D16ED4421DFDF8976C',
  ],
  [
    key19,
    16,
    '56AB21713FF62C0A1457200F6FA9948F',
    '3517D640F50DDC8AD3628722B3569D2AE07493FA8263254080EA65C1008E8FC295FB4852E7D83E1E7C48C37EEBE6B0D3',
  ],
  [
    key19,
    21,
    'A7A4E29A4728CE10664FB64E49AD3FAC',
    '720F73B18D9859CD6CCB4346115CD336C70F58EDC0C4437C5573544C31C813BCE1E6D072C186B39A413C2F92CA9B8334A287FFCBFC',
  ],
  [
    key20,
    0,
    'F764E9FA15C276478B2C7D0C4E5F58E4',
    '41F53FA5BFE7026D91FAF9BE959195A058707273A96A40F0A01960621AC612748B9BBFBE7EB4CE3C',
  ],
  [
    key20,
    6,
    'B80D3251C1F6471494256FFE712D0B9A',
    '4ED7B37C2BCAC8F74F23C1CF07E62BC7B75FB3F637B9F559C7F664F69EAB7B6092237526EA0D1F61CB20D69D10F2',
  ],
  [
    key20,
    16,
    '53BF8A0D105265D4E276428624CE5E63',
    'BC47FFEC7998EB91E8115CF8D19DAC4BBBE2E163E87DD37F49BECA92027764F68CF51F14D798C2273F35DF574D1F932E40C4FF255B36A266',
  ],
  [
    key20,
    21,
    '763E65367E864F02F55153C7E3B58AF1',
    '40013E2DF58E8751957D2878BCD2D6FE101CCFD556CB1EAE79DB3C3EE86429F2B2A602AC86FEF6ECB647D6295FAE077A1FEB517508D2C16B4192E01F62',
  ],
])('encryption of %o with %i bytes, both ways', (key, length, confounder, expected) => {
  const message = plain.subarray(0, length);
  expect(encrypt(key, usage, message, () => hex(confounder))).toEqual(hex(expected));
  expect(decrypt(key, usage, hex(expected))).toEqual(message);
});

test.each([
  [key19, 'D78367186643D67B411CBA9139FC1DEE'],
  [key20, '45EE791567EEFCA37F4AC1E0222DE80D43C3BFA06699672A'],
])('checksum with %o', (key, expected) => {
  expect(checksum(key, usage, plain)).toEqual(hex(expected));
  expect(isChecksum(key, usage, plain, hex(expected))).toBe(true);
  expect(isChecksum(key, usage + 1, plain, hex(expected))).toBe(false);
});

const keys = [17, 18, 19, 20].map((encryptionType) => ({
  encryptionType,
  value: Buffer.alloc(encryptionType % 2 === 0 ? 32 : 16, encryptionType),
}));

test.each(keys)(
  'encryption type $encryptionType decrypts only complete ciphertext, with the right key and usage',
  (key) => {
    for (const length of [0, 1, 15, 16, 17, 33, 100]) {
      const message = Buffer.alloc(length, 7);
      const sealed = encrypt(key, usage, message, (bytes) => Buffer.alloc(bytes, 9));
      expect(decrypt(key, usage, sealed)).toEqual(message);
      expect(() => decrypt(key, usage + 1, sealed)).toThrow('not authentic');
      expect(() => decrypt({ ...key, value: Buffer.alloc(key.value.length) }, usage, sealed)).toThrow(
        'not authentic',
      );
      for (let at = 0; at < sealed.length; at += 1) {
        const changed = Buffer.from(sealed);
        changed[at]! ^= 1;
        expect(() => decrypt(key, usage, changed)).toThrow('not authentic');
        expect(() => decrypt(key, usage, sealed.subarray(0, at))).toThrow(/not authentic|too short/);
      }
    }
  },
);

test('an iteration count that makes guessing cheap, or that takes an hour, is rejected before any derivation', async () => {
  for (const count of [0, 1, 4_095, 1_000_001, 0xffff_ffff]) {
    const parameters = Buffer.alloc(4);
    parameters.writeUInt32BE(count);
    await expect(stringToKey(18, 'x', raeburn, parameters)).rejects.toMatchObject({
      name: 'KerberosError',
      code: 'PROTOCOL',
    });
  }
  await expect(stringToKey(18, 'x', raeburn, Buffer.alloc(3))).rejects.toMatchObject({ code: 'PROTOCOL' });
  await expect(stringToKey(23, 'x', raeburn, undefined)).rejects.toMatchObject({
    code: 'ENCRYPTION_UNSUPPORTED',
  });
});
