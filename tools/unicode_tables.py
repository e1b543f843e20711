"""Writes cardloom_protocol/schema/unicode_data.py: the property tables that `\\p{…}` needs, asked from Node's ICU.

Run `python tools/unicode_tables.py` after a Unicode release; the output is committed.
"""

import base64
import json
import subprocess
import sys
import zlib
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "packages/protocol/src/cardloom_protocol/schema/unicode_data.py"


def _words(text: str) -> list[str]:
    return text.split()


CATEGORIES = _words("""
Lu=Uppercase_Letter Ll=Lowercase_Letter Lt=Titlecase_Letter Lm=Modifier_Letter Lo=Other_Letter
Mn=Nonspacing_Mark Mc=Spacing_Mark Me=Enclosing_Mark Nd=Decimal_Number=digit Nl=Letter_Number No=Other_Number
Pc=Connector_Punctuation Pd=Dash_Punctuation Ps=Open_Punctuation Pe=Close_Punctuation Pi=Initial_Punctuation
Pf=Final_Punctuation Po=Other_Punctuation Sm=Math_Symbol Sc=Currency_Symbol Sk=Modifier_Symbol So=Other_Symbol
Zs=Space_Separator Zl=Line_Separator Zp=Paragraph_Separator Cc=Control=cntrl Cf=Format Cs=Surrogate Co=Private_Use
Cn=Unassigned
""")

BINARY = _words("""
ASCII_Hex_Digit=AHex Alphabetic=Alpha Bidi_Control=Bidi_C Bidi_Mirrored=Bidi_M Case_Ignorable=CI Cased
Changes_When_Casefolded=CWCF Changes_When_Casemapped=CWCM Changes_When_Lowercased=CWL
Changes_When_NFKC_Casefolded=CWKCF Changes_When_Titlecased=CWT Changes_When_Uppercased=CWU Dash
Default_Ignorable_Code_Point=DI Deprecated=Dep Diacritic=Dia Emoji Emoji_Component=EComp Emoji_Modifier=EMod
Emoji_Modifier_Base=EBase Emoji_Presentation=EPres Extended_Pictographic=ExtPict Extender=Ext Grapheme_Base=Gr_Base
Grapheme_Extend=Gr_Ext Hex_Digit=Hex IDS_Binary_Operator=IDSB IDS_Trinary_Operator=IDST ID_Continue=IDC ID_Start=IDS
Ideographic=Ideo Join_Control=Join_C Logical_Order_Exception=LOE Lowercase=Lower Math Noncharacter_Code_Point=NChar
Pattern_Syntax=Pat_Syn Pattern_White_Space=Pat_WS Quotation_Mark=QMark Radical Regional_Indicator=RI
Sentence_Terminal=STerm Soft_Dotted=SD Terminal_Punctuation=Term Unified_Ideograph=UIdeo Uppercase=Upper
Variation_Selector=VS White_Space=space XID_Continue=XIDC XID_Start=XIDS
""")

# Long names; the four-letter codes are found by asking for all of them.
SCRIPTS = _words("""
Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Beria_Erfe Bhaiksuki
Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Chorasmian
Common Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan
Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Garay Georgian Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi
Gurmukhi Gurung_Khema Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inherited
Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi
Khitan_Small_Script Khmer Khojki Khudawadi Kirat_Rai Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian
Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui
Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari
New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Ol_Onal Old_Hungarian Old_Italic Old_North_Arabian
Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong Palmyrene
Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham Sidetic
SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Sunuwar Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham
Tai_Viet Tai_Yo Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Todhri Tolong_Siki Toto
Tulu_Tigalari Ugaritic Unknown Vai Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square
""")

# Answers {properties: [[names, boundaries]]}: a set is the code points between odd and even boundaries.
NODE = r"""
const {categories, binary, scripts} = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const LIMIT = 0x110000;
function boundaries(body) {
  const test = new RegExp(`^\\p{${body}}$`, 'u'), out = [];
  let inside = false;
  for (let point = 0; point < LIMIT; point++) {
    if (test.test(String.fromCodePoint(point)) !== inside) { out.push(point); inside = !inside; }
  }
  return out;
}
function known(body) { try { new RegExp(`\\p{${body}}`, 'u'); return true; } catch { return false; } }
const codes = [], letters = 'abcdefghijklmnopqrstuvwxyz';
for (const a of letters) for (const b of letters) for (const c of letters) for (const d of letters) {
  const code = a.toUpperCase() + b + c + d;
  if (known(`sc=${code}`)) codes.push(code);
}
const rows = {gc: [], sc: [], scx: [], binary: []};
for (const names of categories) rows.gc.push([names, boundaries(`gc=${names[0]}`)]);
for (const names of binary) if (names.every(known)) rows.binary.push([names, boundaries(names[0])]);
const left = new Set(codes), missing = [];
for (const name of scripts) {
  if (!known(`sc=${name}`)) { missing.push(name); continue; }
  const points = boundaries(`sc=${name}`), text = String.fromCodePoint(points[0]);
  const short = [...left].filter((code) => code !== name && new RegExp(`^\\p{sc=${code}}$`, 'u').test(text));
  [name, ...short].forEach((code) => left.delete(code));
  rows.sc.push([[name, ...short], points]);
  const wide = boundaries(`scx=${name}`);
  if (JSON.stringify(wide) !== JSON.stringify(points)) rows.scx.push([[name, ...short], wide]);
}
console.log(JSON.stringify({version: process.versions.unicode, missing, unnamed: [...left], rows}));
"""


def base36(number: int) -> str:
    digits = ""
    while True:
        number, rest = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[rest] + digits
        if not number:
            return digits


def line(names: list[str], boundaries: list[int]) -> str:
    """`Name=Alias deltas`, each delta from the boundary before it in base 36."""
    deltas = [now - before for before, now in zip([0, *boundaries], boundaries, strict=False)]
    return "=".join(names) + " " + ",".join(map(base36, deltas))


def _slices(text: str, width: int) -> list[str]:
    return [text[at : at + width] for at in range(0, len(text), width)]


def main() -> int:
    question = {
        "categories": [row.split("=") for row in CATEGORIES],
        "binary": [row.split("=") for row in BINARY],
        "scripts": SCRIPTS,
    }
    asked = subprocess.run(["node", "-e", NODE], input=json.dumps(question), capture_output=True, text=True, check=True)
    answer = json.loads(asked.stdout)
    if answer["unnamed"]:
        print(f"scripts without a long name: {answer['unnamed']}", file=sys.stderr)
        return 1
    sections = [f"{kind}\n" + "\n".join(line(*row) for row in rows) for kind, rows in answer["rows"].items()]
    packed = base64.b85encode(zlib.compress("\n\n".join(sections).encode(), 9)).decode()
    rows = "\n".join(f'    "{part}"' for part in _slices(packed, 110))
    TARGET.write_text(
        f'"""Unicode {answer["version"]} property tables. Generated by tools/unicode_tables.py; do not edit."""\n\n'
        f"# Compressed lines `Name=Alias boundaries` under the headings gc, sc, scx and binary.\n"
        f"PACKED = (\n{rows}\n)\n",
        encoding="utf-8",
    )
    print(f"{TARGET.name}: {len(packed)} characters; not known to this Node: {answer['missing'] or 'nothing'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
