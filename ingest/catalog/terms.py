"""Terms of trade in English, Japanese and Chinese: what people call a table, a column or a figure
that is named in another language. They become the synonyms of a drafted catalog, which a person
may edit."""

from collections.abc import Iterable, Mapping

from ingest.tables.describe import singular
from ingest.tables.names import words

_TERMS = """
account 取引先 顧客 客户 客户公司; activity 活動 活动; address 住所 地址; adjustment 調整 调整; agreement 協定 协议;
appointment 予約 预约; asset 資産 资产; attendance 勤怠 考勤; batch ロット 批次; bom 部品表 物料清单;
branch 支店 分店; brand ブランド 品牌; budget 予算 预算; campaign キャンペーン 营销活动; carrier 運送業者 承运商;
category カテゴリ 分類 类别 品类; city 市 城市; comment コメント 评论; company 会社 公司; contact 連絡先 联系人;
contract 契約 合同; country 国 国家; coupon クーポン 优惠券; customer 顧客 得意先 客户; deal 商談 案件 商机;
delivery 配送 納品 配送 交货; department 部門 部署 部门; discount 割引 折扣; district 地区; employee 従業員 社員 员工;
expense 経費 费用; forecast 予測 预测; inventory 在庫 库存; invoice 請求書 请求 发票; item 品目 明細 物料;
lead 見込み客 リード 线索; ledger 台帳 总账; location 場所 ロケーション 地点 库位; manufacturer メーカー 製造元 制造商;
material 資材 原料 物料; member 会員 会员; membership 会員登録 会员资格; movement 移動 入出庫 出入库; note メモ 备注;
order 注文 受注 订单; organization 組織 组织; part 部品 零件 部件; payment 支払 入金 付款 支付; pipeline パイプライン 销售流程;
plan プラン 計画 计划 套餐; price 価格 単価 价格; product 商品 製品 产品 商品; promotion 販促 促销; purchase 購買 仕入 采购;
quote 見積 报价; receipt 入荷 領収書 レシート 收货 收据; refund 返金 退款; region 地域 地区 区域; return 返品 退货;
review レビュー 评价; sale 売上 販売 销售; shipment 出荷 発送 发货 出货; shipper 運送会社 承运人; shop 店 店铺;
snapshot 残高 快照; stage 段階 ステージ 阶段; stock 在庫 库存; store 店舗 门店 店铺; subscription 定期購読 サブスクリプション 订阅;
supplier 仕入先 供应商; tag タグ 标签; target 目標 目标; task タスク 任务; tax 税 税; team チーム 团队;
territory 担当地域 销售区域; ticket チケット 問い合わせ 工单; transaction 取引 交易; transfer 移動 調拨 调拨; user ユーザー 用户;
vendor ベンダー 供应商; warehouse 倉庫 仓库; warranty 保証 保修; workflow ワークフロー 工作流
"""
_COLUMN_TERMS = """
amount 金額 金额; balance 残高 余额; birthday 生年月日 生日; channel チャネル 渠道; class 区分 类别; code コード 代码 编码;
color 色 颜色; colour 色 颜色; cost 原価 成本; currency 通貨 币种; date 日付 日期; day 日 日; days 日数 天数;
description 説明 说明 描述; discount 値引 割引 折扣; email メールアドレス 邮箱; gender 性別 性别; hand 手持在庫 现有库存;
lead リードタイム 提前期; margin 利益 毛利; method 方法 方式; name 名称 名前 名称; note 備考 备注; number 番号 编号;
phone 電話番号 电话; price 単価 価格 单价 价格; priority 優先度 优先级; profit 利益 利润; qty 数量 数量; quantity 数量 数量;
rank ランク 等级; rate 率 比率; rating 評価 评分; reason 理由 原因; revenue 売上高 收入 销售额; score 点数 得分;
size サイズ 尺寸; sku 品番 商品コード 货号; status 状態 ステータス 状态; subtotal 小計 小计; terms 条件 条款;
tier ランク 等级; title 件名 标题; total 合計 总额 合计; type 種別 种类 类型; unit 単位 单位; units 数量 件数 件数;
volume 容積 体积; weight 重量 重量; year 年 年份
"""
_METRIC_TERMS = {
    "sales": "sales,revenue,turnover,売上,売上高,売上金額,销售额,营业额",
    "gross_margin": "gross margin,gross profit,gross profit margin,粗利,粗利益,粗利率,粗利益率,"
    "売上総利益,売上総利益率,毛利,毛利率,毛利润",
    "growth_yoy": "year over year,year on year,yoy,前年比,前年同月比,前年同期比,対前年,"
    "同比,同比增长",
    "growth_mom": "month over month,month on month,mom,前月比,前期比,対前月,環比,环比,环比增长",
    "inventory_turnover": "inventory turnover,stock turnover,turnover ratio,stock turn,inventory turns,"
    "在庫回転率,商品回転率,在庫回転数,库存周转率,存货周转率,周转率",
    "days_of_stock": "days of stock,days of inventory,days of supply,days on hand,在庫日数,"
    "在庫回転日数,在庫回転期間,库存天数,库存周转天数,周转天数,可销天数",
    "sell_through": "sell through,sell-through,sell through rate,消化率,販売消化率,售罄率,动销率",
    "fill_rate": "fill rate,order fill rate,充足率,納品率,入荷率,満足率,满足率,订单满足率,到货率",
}


def _entries(text: str) -> Iterable[list[str]]:
    return (entry.split() for entry in text.replace("\n", " ").split(";"))


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _by_other_language(terms: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """What 倉庫 is called in the other languages: warehouse, 仓库."""
    found: dict[str, tuple[str, ...]] = {}
    for english, others in terms.items():
        for name in others:
            found[name] = _unique(
                (*found.get(name, ()), english, *(o for o in others if o != name))
            )
    return found


_TABLES = {english: _unique(others) for english, *others in _entries(_TERMS)}
_COLUMNS = {**_TABLES, **{english: _unique(others) for english, *others in _entries(_COLUMN_TERMS)}}
_TABLES_BACK = _by_other_language(_TABLES)
_COLUMNS_BACK = _by_other_language(_COLUMNS)
_DATE_ENDS = ("日付", "年月日", "日期", "日")


def synonyms(name: str) -> tuple[str, ...]:
    """What a table is called in the other two languages, by the last word of an English name
    (`customer_orders` holds orders) or the longest end of a Japanese or Chinese one (商品マスタ:
    product). () for a word that is no term of trade."""
    return _called(name, _TABLES, _TABLES_BACK)


def column_synonyms(name: str) -> tuple[str, ...]:
    """The same for a column: `order_quantity` is a 数量, 販売日 a date."""
    if name.endswith(_DATE_ENDS):
        return ("date",)
    return _called(name, _COLUMNS, _COLUMNS_BACK)


def metric_synonyms(name: str) -> tuple[str, ...]:
    return tuple(_METRIC_TERMS.get(name, name).split(","))


def _called(
    name: str, terms: Mapping[str, tuple[str, ...]], back: Mapping[str, tuple[str, ...]]
) -> tuple[str, ...]:
    parts = words(name)
    if not parts:
        return ()
    last = parts[-1]
    found = terms.get(last) or terms.get(singular(last))
    if found is not None or last.isascii():
        return found or ()
    stem = (
        last.removesuffix("マスタ").removesuffix("マスター").removesuffix("一覧").removesuffix("表")
    )
    ends = (stem[i:] for i in range(len(stem)))
    return next((back[end] for end in ends if end in back), ())
