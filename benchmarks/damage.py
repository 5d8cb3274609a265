"""Find encoding damage, beside ftfy: python benchmarks/damage.py [--rounds N].

Speed on honest text by script, in MB of UTF-8 a second and as a ratio to `ftfy.badness.is_bad`; what a small piece of a
stream costs; false alarms and misses of both on the sentences, traps and words that the tests use.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from ftfy.badness import is_bad

from benchmarks.timing import alternate, table
from contracts.text.damage import Scanner, find
from tests.text.samples import PAGES, cp1252, honest, latin1, misread, traps, words

SIZE = 400_000  # characters; ftfy reads a tenth of them
PIECE = 5  # characters of a delta
GOAL_ASCII = 250
GOAL = 60
CODE = 'if (a < b && c > d) { x = "0x41"; } // see <b>that</b>\n'
# What people write on an ordinary day; the tests' sentences are hard ones, and a detector stops at its first alarm.
ORDINARY = {
    "French": "L’été dernier, nous avons traversé la forêt à pied ; près de la rivière, un vieux "
    "pêcheur réparait ses filets. « Revenez dès demain », a-t-il dit — et il a souri. À Noël, ça "
    "sentait déjà la crème brûlée. ",
    "German": "Im Frühling öffnete sie das Fenster und hörte die Vögel; über den Dächern lag noch "
    "etwas Nebel. „Schön“, sagte sie, „heute fährt die Straßenbahn wieder pünktlich.“ Später aßen wir "
    "Äpfel und Nüsse. ",
    "Polish": "W niedzielę poszliśmy nad rzekę, bo było ciepło i świeciło słońce. „Jeszcze chwilę” – "
    "powiedziała matka, chociaż wszyscy byliśmy już zmęczeni. Źródło leżało tuż za mostem, pośród łąk. ",
    "Turkish": "Sabah erkenden çarşıya gittik; hava güneşliydi, gökyüzünde tek bir bulut yoktu. “Çay "
    "içer misiniz?” diye sordu dükkâncı, İstanbul’dan yeni dönmüştü. Öğleden sonra yağmur başladı. ",
    "Vietnamese": "Sáng nay trời mưa nhỏ, chúng tôi ngồi bên cửa sổ uống cà phê và nói chuyện về những "
    "ngày đã qua. “Khi nào anh về?” bà hỏi. Đường phố Hà Nội vẫn đông người như mọi khi. ",
    "Russian": "Вчера мы долго гуляли по набережной, и ветер с моря был тёплым. «Ещё немного», — "
    "сказала она, глядя на огни порта. Дома нас ждал чай с вареньем, и никто не спешил. ",
    "Arabic": "في الصباح خرجنا إلى السوق القديم، وكانت الشمس قد أشرقت فوق البيوت. قال البائع: "
    "«تفضّلوا، الشاي جاهز». ثمّ عدنا إلى البيت ومعنا خبز وتمر وبعض الكتب. ",
    "Hindi": "सुबह हम नदी के किनारे टहलने गए और वहाँ बहुत ठंडी हवा चल रही थी। “थोड़ा और रुकिए,” उसने "
    "कहा, और सब हँसने लगे। शाम को हमने चाय पी और पुरानी कहानियाँ सुनीं। ",
    "Chinese": "昨天下午我们沿着河边走了很久，风很轻，水面上有几只小船。“再坐一会儿吧，”她说，“天还早。”"
    "回家以后，我们泡了一壶茶，聊起小时候的事情，直到月亮升起来。",
    "Japanese": "昨日の午後、川沿いの道をゆっくり歩きました。「もう少し待ってください」と彼女は言い、カメ"
    "ラを取り出しました。夕方になると雨が降り始め、駅まで走って帰りました。",
    "Korean": "어제 오후에는 강가를 따라 오래 걸었습니다. “조금만 더 기다려 주세요.” 그녀가 말했고, "
    "우리는 모두 웃었습니다. 저녁에는 따뜻한 차를 마시며 옛날이야기를 나누었습니다. ",
}
PROSE = "The quick brown fox jumps over the lazy dog, twice; nobody knows why (yet). "


def texts() -> dict[str, str]:
    """Honest text by script, SIZE characters each."""
    parts = {"ASCII prose": [PROSE], "ASCII code": [PROSE, CODE], "mixed": [PROSE, CODE, *ORDINARY.values()]}
    parts |= {name: [sentences] for name, sentences in ORDINARY.items()}
    filled = {}
    for name, sentences in parts.items():
        once = "\n".join(sentences) + "\n"
        filled[name] = (once * (SIZE // len(once) + 1))[:SIZE]
    return filled


def stream(pieces: list[str]) -> object:
    """Feed a text as a stream's deltas."""
    scanner = Scanner()
    for event, piece in enumerate(pieces):
        scanner.feed(piece, event, event)
    return scanner.finish()


def speed(rounds: int) -> None:
    """Print the table of speeds."""
    rows = []
    for name, text in texts().items():
        pieces = [text[place : place + PIECE] for place in range(0, SIZE, PIECE)]
        part = text[: SIZE // 10]
        ways: dict[str, Callable[[], object]] = {
            "ours": partial(find, text),
            "ftfy": partial(is_bad, part),
            "stream": partial(stream, pieces),
        }
        seconds = alternate(ways, rounds)
        size = len(text.encode())
        ftfy = seconds["ftfy"] * size / len(part.encode())
        goal = GOAL_ASCII if text.isascii() else GOAL
        rows.append(
            [
                name,
                f"{size / seconds['ours'] / 1e6:.0f}",
                f"{size / ftfy / 1e6:.1f}",
                f"{ftfy / seconds['ours']:.0f}",
                str(goal),
                f"{seconds['stream'] / len(pieces) * 1e6:.2f}",
            ]
        )
    head = ["honest text", "ours MB/s", "ftfy MB/s", "times as fast", "goal", f"µs a piece of {PIECE} characters"]
    print(table(head, rows))


def verdicts() -> None:
    """Print false alarms and what was found."""
    sentences = [sentence for _, sentence in honest()]
    damaged = {
        "sentences as ISO-8859-1": list(map(latin1, sentences)),
        "sentences as windows-1252": list(map(cp1252, sentences)),
        "single words as ISO-8859-1": [f"they say {latin1(word)} here" for word in words()],
        "single words as windows-1252": [f"they say {cp1252(word)} here" for word in words()],
    }
    longer = [word for word in words() if sum(not char.isascii() for char in word) > 1]
    for page in (*PAGES, "gbk", "cp932"):
        damaged[f"sentences as {page}"] = [misread(sentence, page) for sentence in sentences]
        damaged[f"words with two such letters as {page}"] = [f"they say {misread(word, page)} here" for word in longer]
    rows = [
        [f"false alarms: {name}", str(len(lines)), str(sum(map(bool, map(find, lines)))), str(sum(map(is_bad, lines)))]
        for name, lines in {"honest sentences": sentences, "traps": traps(), "words": words()}.items()
    ]
    for name, lines in damaged.items():
        shares = [sum(map(bool, map(judge, lines))) / len(lines) for judge in (find, is_bad)]
        rows.append([f"found: {name}", str(len(lines)), *(f"{share:.1%}" for share in shares)])
    print(table(["", "of", "ours", "ftfy"], rows))


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="Find encoding damage, beside ftfy.")
    parser.add_argument("--rounds", type=int, default=9)
    speed(parser.parse_args().rounds)
    print()
    verdicts()


if __name__ == "__main__":
    main()
