"""Texts that say the same again: models that ran on until a limit, what was asked for, and what only looks like it."""

from __future__ import annotations

import base64
import hashlib
import itertools

# A good beginning, as most loops have one.
BEGUN = "Schöne Frage! Kurz gesagt: Es kommt auf die Größe an, und die hängt davon ab, wie genau gemessen wird.\n\n"

PARAGRAPH = (
    "Zusammenfassend lässt sich festhalten, dass die Einführung des neuen Verfahrens sorgfältig vorbereitet werden "
    "muss. Zunächst sollten alle Beteiligten über die Änderungen unterrichtet werden, damit Missverständnisse "
    "vermieden werden. Anschließend empfiehlt es sich, das Verfahren in einem überschaubaren Bereich zu erproben und "
    "die Ergebnisse auszuwerten. Erst danach kann über eine breitere Einführung entschieden werden, die wiederum von "
    "Schulungen begleitet sein muss. Dabei ist auf die Rückmeldungen der Beschäftigten zu achten, weil sie die "
    "Schwächen im Alltag als Erste bemerken und beheben können.\n\n"
)

# Unit, how often, and how much of the next one came before it was cut. Words, so that they count wherever they stop.
LOOPS_OF_WORDS: dict[str, tuple[str, int, int]] = {
    "English, a sentence": ("I'm sorry, but I can't help with that – please try again. ", 60, 17),
    "English, a clause": ("and then the naïve man said that ", 90, 5),
    "English, two words": ("café really ", 400, 3),
    "English, list items": ("- Make sure to check the façade of the building.\n", 70, 11),
    "English, bold items": ("* **Überprüfung**: The system should be checked thoroughly.\n", 60, 20),
    "German, a line": ("Ich kann Ihnen dabei leider nicht weiterhelfen – bitte wenden Sie sich an uns.\n", 40, 30),
    "German, a paragraph of 600 characters": (PARAGRAPH, 12, 333),
    "French": ("Je suis désolé, mais je ne peux pas répondre à cette question. ", 50, 8),
    "Spanish": ("Además, es importante señalar que la comunicación es fundamental. ", 50, 41),
    "Portuguese": ("É importante lembrar que a saúde não é uma questão simples. ", 50, 2),
    "Italian": ("Perché la città è più bella, e la città è più bella ", 60, 19),
    "Polish": ("Następnie należy sprawdzić, czy wszystko działa. ", 60, 7),
    "Turkish": ("Bu nedenle çalışmanın önemi büyüktür ve ", 70, 12),
    "Vietnamese": ("Điều này rất quan trọng đối với chúng ta. ", 70, 6),
    "Russian": ("Таким образом, мы можем сделать следующий вывод. ", 60, 25),
    "Ukrainian": ("Отже, ми повертаємося до того самого питання. ", 60, 25),
    "Greek": ("Επομένως, πρέπει να επιστρέψουμε στο ίδιο θέμα. ", 60, 10),
    "Arabic": ("ثم عدنا إلى البيت مرة أخرى. ", 90, 4),
    "Hebrew": ("ולכן אנחנו חוזרים שוב לאותה שאלה. ", 90, 4),
    "Persian": ("بنابراین دوباره به همان پرسش برمی‌گردیم. ", 80, 9),
    "Hindi": ("और फिर हम वापस आ गए। ", 90, 3),
    "Bengali": ("তারপর আমরা আবার ফিরে এলাম। ", 90, 3),
    "Tamil": ("பின்னர் நாங்கள் மீண்டும் வந்தோம். ", 90, 3),
    "Thai": ("แล้วเราก็กลับมาอีกครั้ง", 90, 7),
    "Chinese": ("我们再来看看这个问题。", 120, 4),
    "Chinese, traditional": ("因此，我們需要重新考慮這個問題，並且找到解決方法。", 60, 9),
    "Japanese": ("それでは次の問題を見てみましょう。", 90, 3),
    "Japanese, an apology": ("申し訳ございませんが、その質問にはお答えできません。", 60, 12),
    "Korean": ("그래서 우리는 다시 시작해야 합니다. ", 90, 5),
    "emoji and words": ("Danke schön! 😊 ", 120, 4),
    "a question and its answer": ("User: Wie groß ist das?\nAssistant: Das weiß ich nicht genau.\n", 50, 33),
    "role markers": ("<|im_start|>assistant\nNatürlich, gerne helfe ich dabei weiter.\n", 60, 14),
}

# The same of what is no words; it counts where a limit of tokens cut it after some pages.
LOOPS_OF_OTHER: dict[str, tuple[str, int, int]] = {
    "the": ("the ", 1500, 2),
    "one letter": ("ä", 6000, 0),
    "one ideograph": ("的", 6000, 0),
    "zero width": ("\u200b", 6000, 0),
    "exclamation marks": ("！", 6000, 0),
    "newlines": ("\n", 6000, 0),
    "blanks": (" ", 6000, 0),
    "tabs and newlines": ("\t\n", 4000, 1),
    "emoji": ("😂", 6000, 0),
    "a family of emoji": ("👩‍👩‍👧‍👦", 900, 3),
    "an emoji of a spinning wheel": ("🔄\n", 3000, 1),
    "keys of JSON": ('"größe": null, ', 500, 6),
    "objects of JSON": ('{"id": 0, "größe": 0.0},\n', 300, 9),
    "brackets": ("]}", 3000, 1),
    "numbers": ("0, ", 3000, 1),
    "a fraction": ("142857", 1200, 4),
    "rows of a table": ("| 1 | – | – |\n", 500, 5),
    "code": ("        return größe[i][j];\n", 250, 13),
    "a path": ("../", 2500, 2),
    "escapes": ("\\u00fc", 1200, 3),
    "tags": ("</div>\n", 900, 4),
    "base64": ("QUJD", 1800, 2),
    "dashes": ("—", 6000, 0),
}

# What somebody asked for: as text it is no other than a loop, but it ends when it is done.
ASKED: dict[str, str] = {
    "a line a hundred times": "Ich soll im Unterricht nicht schwätzen.\n" * 100,
    "a line by number": "Schreibe tausendmal: Übung macht den Meister. " * 200,
    "a mantra": "ॐ मणि पद्मे हूँ। " * 108,
    "a litany": "Heilige Maria, bitte für uns.\n" * 60,
    "a rosary": "Je vous salue, Marie, pleine de grâce, le Seigneur est avec vous.\n" * 50,
    "a nembutsu": "南無阿弥陀仏。" * 200,
    "a to-do list": "- [ ] Überprüfen und anschließend abhaken\n" * 60,
    "rows of a table": "| Prüfung bestanden | keine Mängel gefunden |\n" * 40,
    "lorem ipsum": "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed dö eiusmod tempor. " * 20,
    "rows of SQL": "INSERT INTO maß (größe) VALUES (NULL);\n" * 80,
    "a test text": "Franz jagt im komplett verwahrlosten Taxi quer durch Bayern – schön. " * 40,
}

_NAMES = ("Ähren", "Öl", "Übung", "Straße", "Größe", "Maß", "Fuß", "Käse", "Brötchen", "Müsli", "Nüsse", "Äpfel")


def _digest(number: int) -> bytes:
    return hashlib.sha256(str(number).encode()).digest()


# Written by people, or asked for with something in it that goes on.
HONEST: dict[str, str] = {
    "a rule": "Überschrift\n" + "=" * 6000,
    "dots": "Größe " + "." * 6000,
    "screaming": "A" * 3000 + "rgh, größer!",
    "laughter": "ha" * 2000,
    "laughter, Chinese": "哈" * 3000,
    "laughter, Thai": "5" * 3000 + " ตลกมาก",
    "laughter, Spanish": "ja" * 1500 + " ¡qué risa!",
    "applause": "👏" * 3000,
    "hearts": "❤️" * 2000,
    "a cat": ("     /\\_/\\     \n" + "    ( o.o )    \n") * 300,
    "cats": ("     /\\_/\\     \n    ( o.o )    \n     > ^ <     \n") * 200,
    "rain": "| ' , | ' , \n" * 700,
    "a box": "╔" + "═" * 78 + "╗\n" + ("║" + " " * 78 + "║\n") * 60 + "╚" + "═" * 78 + "╝\n",
    "a chessboard": ("░░██" * 8 + "\n" + "██░░" * 8 + "\n") * 60,
    "snow": ("❄ ." * 20 + "\n") * 80,
    "a tree": "".join(" " * (40 - n) + "ö" * (2 * n + 1) + "\n" for n in range(40)) * 2,
    "a wave": "~^" * 3000,
    "a progress bar": "".join(f"\r[{'█' * n}{' ' * (50 - n)}] {2 * n}\u00a0%" for n in range(51)),
    "an empty table": "| Größe | Maß |\n|---|---|\n" + "|   |   |\n" * 700,
    "a table of zeros": "größe,0,0,0,0,0\n" + "0, 0, 0, 0, 0,\n" * 600,
    "a table of yes and no": "| ja | nein | 0,5 € |\n" * 30,
    "a table of ticks": "| ✅ | ❌ | ✅ |\n" * 200,
    "a table of names": "".join(f"| {n} | {_NAMES[n % 12]} | {n * 37 % 101},50 € |\n" for n in range(200)),
    "a bill": "Position;Menge;Preis\n" + "Brötchen;1;0,35 €\n" * 40,
    "CSV": "zeit,größe,einheit\n" + "".join(f"{n},{n * 7919 % 1000},°C\n" for n in range(500)),
    "CSV of the same": "name,wert\n" + "größe,1.0,1.0,1.0\n" * 300,
    "TSV of blanks": "ä\tö\tü\n" + "\t\t\n" * 1500,
    "code, an array": "    { .größe = 0, .next = NULL },\n" * 120,
    "code, closing": "".join(" " * (4 * n) + "}\n" for n in range(60, 0, -1)) + "// schön\n",
    "code, assertions": "".join(f'    assert größe("{_NAMES[n % 12]}") == {n}\n' for n in range(150)),
    "code, the same line": "    x = größer(x);\n" * 200,
    "code, nops": "    nop\n" * 800 + "; größe",
    "assembly": "    mov  eax, [größe]\n    add  eax, 1\n    mov  [größe], eax\n" * 60,
    "HTML": '      <td class="größe"></td>\n' * 150,
    "an SVG path": 'd="M0 0' + " L10 10 L0 10 Z" * 400 + '" id="größe"',
    "CSS": ".größe { margin: 0; padding: 0; }\n" * 60,
    "LaTeX": "\\hline größe & 0 & 0 \\\\\n" * 100,
    "YAML": "- name: größe\n  value: 0\n" * 100,
    "JSON, equal objects": "[" + '{"größe": 0, "maß": null}, ' * 200 + "{}]",
    "JSON, nested": '{"ä": ' * 400 + "1" + "}" * 400,
    "JSON, numbers": "[" + "0.0, " * 1500 + "0.0]",
    "JSON, flags": "[" + "true, false, " * 500 + "true]",
    "hex": "00 00 00 00 00 00 00 00\n" * 300,
    "a hex dump": "".join(f"{n * 16:08x}  {'00 ' * 16} |{'.' * 16}|\n" for n in range(120)),
    "hex digests": "".join(f"{_digest(n).hex()}  größe-{n}.txt\n" for n in range(60)),
    "base64 of zeros": "A" * 6000,
    "base64": base64.b64encode(b"".join(map(_digest, range(200)))).decode(),
    "DNA": "ATTACG" * 700,
    "DNA in lines": ("GATTACA" * 10 + "\n") * 60,
    "bits": "01" * 3000,
    "Morse": "··· −−− ··· " * 300,
    "a repeating decimal": "1/7 = 0,(142857)\n0," + "142857" * 500,
    "numbers": ", ".join(map(str, range(1500))),
    "even numbers": "\n".join(str(2 * n) for n in range(1200)),
    "multiplication": "".join(f"{a} × {b} = {a * b}\n" for a in range(1, 21) for b in range(1, 21)),
    "a log": "".join(f"2026-11-30 12:{n % 60:02d}:07 INFO größe verarbeitet, nichts zu tun\n" for n in range(300)),
    "a log of milliseconds": "".join(
        f"12:00:00.{n:03d} WARN Verbindung abgelehnt, neuer Versuch\n" for n in range(200)
    ),
    "a stack trace": "".join(f"    at größe.prüfe(Maß.java:{n})\n" for n in range(500, 300, -1)),
    "a recursion": "  at größe.rekursiv(Maß.java:42)\n" * 120,
    "steps": "".join(f"{n}. Schritt {n}: prüfen, rechnen, schreiben und dann weiter.\n" for n in range(1, 300)),
    "a line by number": "".join(f"{n}. Ich soll im Unterricht nicht schwätzen.\n" for n in range(1, 101)),
    "bottles": "".join(
        f"{n} bottles of crème on the wall, {n} bottles of crème.\nTake one down, pass it around, {n - 1} left.\n"
        for n in range(99, 0, -1)
    ),
    "to-dos": "".join(f"- [ ] {_NAMES[n % 12]} Nummer {n} überprüfen\n" for n in range(80)),
    "names in turn": "".join(f"{_NAMES[n % 12]} ist schön, sagte das {n}. Kind.\n" for n in range(120)),
    "permutations": "\n".join(" ".join(p) for p in itertools.permutations(("ä", "ö", "ü", "ß", "é", "ñ"), 6)),
    "a refrain": "Ringel, ringel, Reihe, sind der Kinder dreie,\nsitzen unterm Hollerbusch,\nmachen alle husch husch!\n"
    * 5,
    "verses with a refrain": "".join(
        f"Und {name} kam zur Tür herein,\nund alles sang im Sonnenschein:\nJuchhei, juchhei, so soll es sein!\n\n"
        for name in _NAMES
    ),
    "a chorus": "Na na na na, hey hey hey, schönen Tag\n" * 12,
    "na na na": "Na " * 600 + "hey, schöne Welt",
    "a lullaby": "Schlaf, Kindlein, schlaf, der Vater hüt’ die Schaf,\n" * 7,
    "a tongue twister": "Fischers Fritz fischt frische Fische, frische Fische fischt Fischers Fritz – schön schnell.\n"
    * 5,
    "a short mantra": "ॐ नमः शिवाय\n" * 30,
    "a psalm": "".join(f"Denn {n} sind seine Tage, und seine Güte währet ewiglich.\n" for n in range(1, 27)),
    "clauses of a contract": "".join(
        f"§ {n} Der Auftragnehmer haftet nicht für Schäden, soweit in § {n + 1} nichts anderes vereinbart ist.\n"
        for n in range(1, 90)
    ),
    "signatures": "Ort, Datum: ____________________   Unterschrift (Käufer): ____________________\n" * 30,
    "a form": "Name: ..........................  Straße: ..........................\n" * 30,
    "silence": "Er schwieg.\n" + "…\n" * 1200,
    "buffalo": "Buffalo büffalo " * 40,
    "counting sheep": "".join(f"{n} Schäfchen springen über den Zaun.\n" for n in range(1, 150)),
    "dates": "".join(
        f"2026-{m:02d}-{d:02d}: geschlossen wegen Überfüllung\n" for m in range(1, 13) for d in range(1, 29)
    ),
    "subtitles": "".join(f"{n}\n00:0{n % 10}:00,000 --> 00:0{n % 10}:02,000\n♪ schöne Musik ♪\n\n" for n in range(90)),
    "chords": "| C♯ | F♯ | G♯ | C♯ |\n" * 60,
    "knitting": "".join(
        f"Reihe {n}: 2 rechts, 2 links, bis zum Ende wiederholen – größer werden.\n" for n in range(60)
    ),
}


def loops() -> list[tuple[str, str, bool]]:
    """Name, text, and whether it is of words."""
    return [
        (name, BEGUN + unit * times + unit[:cut], is_words)
        for table, is_words in ((LOOPS_OF_WORDS, True), (LOOPS_OF_OTHER, False))
        for name, (unit, times, cut) in table.items()
    ]
