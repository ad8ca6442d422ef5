"""The words of questions that ask what to order, in three languages, on folded text.

A stored value that was found in a question stands as `MARK` there.
"""

import re

MARK = "\x00"

_EN_VERB = r"(?:re-?order(?:ed|ing)?|order(?:ed)?|replenish(?:ed|ing)?|re-?stock(?:ed|ing)?)"
_EN_NOUN = r"(?:products?|items?|skus?|goods|articles?|parts?|materials?|things)"
_EN_MUST = (
    r"(?:(?:should|must|shall) (?:we|i)(?: now)?|do (?:we|i)(?: now)? (?:need|have) to"
    r"|(?:we|i) (?:should|must|need to|have to|ought to)"
    r"|(?:should|must|needs? to|have to|has to|ought to) be|are to be|is to be|to)"
)
_EN_PROPOSAL = r"proposals?|suggestions?|recommendations?"

_JA_VERB = r"(?:追加)?(?:再)?(?:発注|補充|注文)"
_JA_MUCH = r"(?:(?:どれ|どの)(?:だけ|くらい|ぐらい)|いくつ|何個)?(?:ずつ)?"
_JA_NOUN = r"(?:商品|製品|品目|品番|sku|アイテム|部品|もの|物|品)"
_JA_MUST = (
    r"(?:す(?:べき|る必要が?(?:の?ある|あります|ある)|れば(?:よ|良|い)い|ると(?:よ|良|い)い)|し(?:たら(?:よ|良|い)い|なければ(?:ならない|なりません|いけない))"
    r"|が必要(?:な|である)?)"
)
_JA_SHOW = r"(?:です(?:か)?|でしょうか|ますか|は(?:何|なに|どれ)(?:です(?:か)?|でしょうか)?)?"

_ZH_VERB = r"(?:补货|订货|采购|进货|订购|补充)"
_ZH_NOUN = r"(?:商品|产品|sku|货品|物料|东西|货)"
_ZH_MUST = r"(?:需要|应该|应当|必须|该|要)"

TRIGGER = re.compile(
    "|".join(
        (
            # what should we reorder, which items need to be reordered, what to order
            rf"\b(?:what|which)(?: (?:of (?:our|the) )?{_EN_NOUN})?(?: do| does)? {_EN_MUST} {_EN_VERB}\b",
            rf"\b(?:what|which(?: of (?:our|the))? {_EN_NOUN}) (?:needs?|requires?) "
            r"(?:re-?ordering|replenishing|re-?stocking|replenishment)\b",
            # a reorder proposal, replenishment suggestions
            r"\b(?:an? |the |our |your )?(?:(?:re-?order(?:ing)?|replenishment|re-?stocking)"
            rf" (?:order )?(?:plan|list|{_EN_PROPOSAL})"
            rf"|(?:order(?:ing)?|purchas(?:e|ing)(?: order)?) (?:{_EN_PROPOSAL}))\b",
            r"\bhow (?:many|much)(?: (?:units|pieces))?(?: of)? (?P<en>[^,.;?]{1,40}?) "
            rf"(?:should|must|do|shall) (?:we|i)(?: need to| have to)? {_EN_VERB}\b",
            # 何を発注すべき, どの商品を発注すべき, 発注が必要な商品, 発注提案
            rf"(?:何|なに|どの{_JA_NOUN}|どんな{_JA_NOUN})を{_JA_MUCH}{_JA_VERB}{_JA_MUST}{_JA_SHOW}",
            rf"どの{_JA_NOUN}(?:の|が){_JA_VERB}{_JA_MUST}{_JA_SHOW}",
            rf"{_JA_VERB}{_JA_MUST}(?:の)?{_JA_NOUN}{_JA_SHOW}",
            r"(?:再)?(?:発注|補充|仕入れ?)(?:の)?(?:提案|推奨|候補|案)(?:書|表|リスト)?|(?:再発注|補充)(?:リスト|計画)",
            # 哪些商品需要补货, 应该补货什么, 需要补货的商品, 补货建议
            rf"(?:哪些|哪个|哪种|哪几种|什么){_ZH_NOUN}?{_ZH_MUST}{_ZH_VERB}",
            rf"{_ZH_MUST}(?:再)?{_ZH_VERB}(?:哪些|什么|些什么){_ZH_NOUN}?",
            rf"{_ZH_MUST}(?:补|订|进)(?:什么|哪些)货",
            rf"{_ZH_MUST}{_ZH_VERB}的{_ZH_NOUN}(?:有哪些|是哪些|是什么)?",
            r"(?:补货|订货|采购|进货|再订货)(?:的)?(?:建议|提案)|补货(?:方案|清单|计划)",
        )
    ),
    re.IGNORECASE,
)
NAMED_TRIGGER = re.compile(
    "|".join(
        (
            rf"\b(?:should|must|do) (?:we|i)(?: need to| have to)? {_EN_VERB} (?={MARK})",
            rf"(?<={MARK})(?:は|を){_JA_MUCH}{_JA_VERB}{_JA_MUST}{_JA_SHOW}",
            rf"(?<={MARK}){_ZH_MUST}{_ZH_VERB}(?:多少)?",
        )
    ),
    re.IGNORECASE,
)
"""Asks of something that is named; without a name it asks nothing that a rule could answer."""

_DIMENSION = (
    r"(?:ware-?houses?|suppliers?|vendors?|categor(?:y|ies)|skus?|products?|items?|ranks?|class"
    r"|倉庫|拠点|仕入先|仕入れ先|供給元|サプライヤー?|メーカー|カテゴリー?|分類|商品|品番|製品|ランク"
    r"|仓库|供应商|厂商|类别|品类|分类|产品|等级)"
)
RESTRICTED = re.compile(
    rf"(?:\b(?:for|in|from|of|at|by|within|and|or|only)\s+)*(?:\b(?:the|our)\s+)?"
    rf"(?:{_DIMENSION}(?:コード|代码|番号|\s+code)?\s*[:：]?\s*)?[「『“\"'(（]?{MARK}[」』”\"')）]?(?:类|系列)?"
    rf"(?:\s*{_DIMENSION})?(?:\s+only\b|だけ|のみ|分|向け|における|について(?:は)?|に関して|で|の|は|を|から|や|と|和|及|内)*",
    re.IGNORECASE,
)
EACH = re.compile(
    r"\b(?:for|by|per|in)\s+(?:(?:each|every)\s+)?(?:warehouse|location)s?\b|(?:倉庫|拠点)(?:別|ごと|毎)に?"
    r"|按(?:各|每个)?仓库|各仓库|每个仓库|分仓库",
    re.IGNORECASE,
)
LEAD = re.compile(rf"^(?:(?:for|in|from|of|at|by|the|our)\s+)*(?:{_DIMENSION}\s*)?", re.IGNORECASE)
TRAIL = re.compile(rf"\s*{_DIMENSION}$", re.IGNORECASE)
HARMLESS = re.compile(
    r"\b(?:please|kindly|(?:can|could|would|will) you|(?:tell|show|give|make|send|get)(?: (?:me|us))?|list|propose|suggest"
    r"|recommend|create|prepare|draft|generate|produce|calculate|determine|work out|i|we|want|need|would like|like to know|know"
    r"|now|today|currently|right now|at the moment|this (?:week|month)|next|and|also|then|how (?:many|much)(?: of each)?"
    r"|in what quantit(?:y|ies)|with quantities|as a table|in a table|as table|a|an|the|to|is|are|what|me|us)\b"
    r"|ください|下さい|教えて|提案して|提案し|提案|作成して|作成し|作成|作って|立てて|出して|挙げて|見せて|示して|提示して|一覧|リスト|表で"
    r"|お願いします|お願い|いただけますか|もらえますか|くれますか|できますか|してほしい|してほしいです|ですか|でしょうか|ますか|します|して|する|です"
    r"|それぞれ|どれだけ|いくつ|何個|数量(?:も)?|現時点(?:で)?|現在|今すぐ|今(?:月|日|週)?|本日|そろそろ|次に|次回|また|さらに|そして|それから"
    r"|[をはがにでのとも、かねよ]"
    r"|请(?:你|您|帮我|给我)?|帮我|给我|告诉我|列出|给出|提出|生成|制定|提供|做出?|写|看看|我们|咱们|我|现在|目前|当前|今天|本月|本周"
    r"|一下|一?[个份张]|并|再|和|多少|各|分别|有|是|的|吗|呢|吧|了",
    re.IGNORECASE,
)
MARKS = re.compile(r"[\s\W_]+")

SEPARATOR = re.compile(
    r"\s*[;.。！!？?]\s*|\s*,\s*(?:and\s+)?(?:then\s+|also\s+)?|\s+and\s+(?:then\s+|also\s+)?|\s+then\s+"
    r"|(?<=[しべて])、(?:そして|また|さらに|その(?:うえ|上)で|それから)?|(?<=[較べ])し(?:て)?、?|した(?:うえ|上)で、?"
    r"|\s*[，,](?:并且?|然后|再|同时|以及)?\s*|并(?:且)?(?=提|给|列|生|制)"
)
REQUEST = re.compile(
    r"^\s*(?:(?:and|also|then|please)\s+)*(?:compare|show|list|what|which|how|who|when|where|tell|give|calculate|is|are|does|do|summari[sz]e"
    r"|explain|find|report|check)\b"
    r"|比較|教え|示し|見せ|一覧|計算|調べ|まとめ|集計|ですか|ますか|何|いくつ|いくら|どの|どれ"
    r"|比较|对比|列出|多少|哪|什么|统计|计算|查询|几",
    re.IGNORECASE,
)
CONDITION = re.compile(
    r"\b(?:if|assum\w+|given|unless|except|exclud\w+|without|based|according|consider\w*|suppos\w+|provided|because|since"
    r"|only|ignor\w+|includ\w+|where|not)\b"
    r"|なら|たら|れば|場合|として|仮定|基づ|もとに|基に|考慮|除|以外|従|踏まえ|前提|のみ|だけ|含め"
    r"|如果|假设|根据|按照|考虑|除|若|以外|不包括|前提|基于|只",
    re.IGNORECASE,
)
"""What says something of the other clause."""

COMPARE = re.compile(
    r"\b(?:compar(?:e|ed|ing|ison)|difference|changes?|versus|vs\.?)\b|比較|比べ|差異|差|増減|变化|比较|对比|差异",
    re.IGNORECASE,
)
STOCK = re.compile(
    r"\b(?:(?:the|our)\s+)?(?:stock|inventory|inventories)(?:\s+(?:levels?|on[\s-]hand))?\b|\bon[\s-]hand\b"
    r"|(?:手持)?在庫(?:数量?|量|残高?)?|库存(?:量|数量?)?",
    re.IGNORECASE,
)
COMPARED = re.compile(
    r"\b(?:with|to|and|between|against|from|of|the|that|levels?|at|in|on|for|as|by|sku|please|show|me|us)\b"
    r"|(?:商品|sku)(?:別|ごと)に?|し(?:て|た)?|する|ください|[をはがにでのとも、]|と比べ|から|まで"
    r"|各|按|[和与跟同的]|相比|一下|请",
    re.IGNORECASE,
)
