"""Texts to tokenise, made here so that nobody else's are needed.

English is the repository's own prose, code its own sources; Chinese is written by a grammar of some hundred phrases
with a fixed seed, which yields sentences that hardly ever repeat.
"""
import pathlib
import random
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
BYTES_WANTED = 400_000

TOPICS = """语义重排 检索系统 向量数据库 搜索引擎 问答平台 知识图谱 推荐算法 电商网站 客服机器人 医疗记录 法律文书 财务报表
学术论文 新闻资讯 技术文档 用户手册 城市交通 天气预报 农业生产 海洋环境 航天工程 能源供应 教育改革 文化遗产 体育赛事
旅游景点 地方美食 古典音乐 现代建筑 电影艺术 植物分类 动物行为 气候变化 水资源管理 桥梁设计 铁路运输 港口物流 芯片制造
操作系统 编译程序 网络协议 数据备份 信息安全 隐私保护 机器翻译 语音识别 图像处理 概率统计 线性代数 量子物理 有机化学
细胞生物 免疫反应 心理健康 睡眠质量 营养搭配 运动损伤 儿童成长 老年护理 社区服务 志愿活动 房屋租赁 保险理赔 税收政策
劳动合同 知识产权 消费者权益 国际贸易 汇率波动 股票市场 债券发行 风险控制 供应链 仓储管理 品牌营销 用户调研 产品设计""".split()
VERBS = """需要 影响 改善 依赖 结合 推动 限制 描述 解释 分析 比较 评估 覆盖 支持 替代 促进 整合 优化 记录 预测 检验 取决于 包括
带来 面临 适应 减少 增加 保证 反映""".split()
OBJECTS = """更高的准确率 较低的延迟 稳定的运行环境 大量的历史数据 明确的评价标准 持续的资金投入 经验丰富的团队 可靠的实验结果
复杂的内部结构 不同地区的差异 长期积累的经验 公开透明的流程 简单易懂的说明 合理的成本 完整的测试 及时的反馈 多语言的文本
意料之外的错误 严格的审核制度 灵活的部署方式 内存和带宽 中小企业的需求 普通用户的习惯 上下文中的线索 罕见的专业术语
相互矛盾的证据 几十年来的研究 下一代的技术路线 本地居民的生活 季节性的变化""".split()
STARTS = """一般来说 事实上 近年来 与此同时 在大多数情况下 根据最新的统计 从长远来看 对初学者而言 值得注意的是 换句话说
如果条件允许 为了节省时间 在实际应用中 除此以外 令人惊讶的是 按照规定 到目前为止 尽管如此""".split()
ENDS = """这一点常常被忽视 具体数字见下表 相关部门正在制定新的办法 读者可以自行验证 结果仍有待进一步确认 专家对此看法不一
这也是本文讨论的重点 最终的选择要看预算 类似的例子还有很多 因此不能一概而论""".split()


def chinese(rng):
    def clause():
        return rng.choice(TOPICS) + rng.choice(VERBS) + rng.choice(OBJECTS)

    def sentence():
        kind = rng.randrange(5)
        if kind == 0:
            return f"{rng.choice(STARTS)}，{clause()}，而{clause()}。"
        if kind == 1:
            return f"{clause()}；{rng.choice(ENDS)}。"
        if kind == 2:
            return f"{'、'.join(rng.sample(TOPICS, 3))}都{rng.choice(VERBS)}{rng.choice(OBJECTS)}。"
        if kind == 3:
            count = rng.randint(2, 900)
            return f"{rng.randint(1990, 2030)}年，{clause()}的比例达到{rng.randint(1, 99)}%（约{count}万人）。"
        return f"“{clause()}吗？”{rng.choice(ENDS)}，{rng.choice(STARTS)}，{clause()}。"

    return "".join(sentence() for _ in range(rng.randint(3, 12)))


def repository_files(*patterns):
    files = []
    for folder in ("src", "apps", "include", "tools", "bench", "tests", "docs", "."):
        for pattern in patterns:
            found = (ROOT / folder).glob(pattern) if folder == "." else (ROOT / folder).rglob(pattern)
            files += [p for p in found if "goldens" not in p.parts and p.stat().st_size < 200_000]
    return [p.read_text(encoding="utf-8") for p in sorted(set(files))]


def english_documents():
    prose = []
    for text in repository_files("*.md"):
        prose += re.split(r"\n\s*\n", text)
    for text in repository_files("*.h", "*.cc"):
        prose += [re.sub(r"(?m)^\s*//+ ?", "", c) for c in re.findall(r"(?:^\s*//.*\n){2,}", text, flags=re.M)]
    return [p for p in prose if len(p) > 60]


def code_documents():
    return [text[i:i + 2000] for text in repository_files("*.h", "*.cc", "*.py") for i in range(0, len(text), 2000)]


def repeat_to_size(documents):
    """As many documents as make BYTES_WANTED; a repository that is still small gives them more than once."""
    out, size = [], 0
    while size < BYTES_WANTED:
        for document in documents:
            out.append(document)
            size += len(document.encode())
            if size >= BYTES_WANTED:
                break
    return out


def all_texts():
    rng = random.Random(7)
    return {
        "english": repeat_to_size(english_documents()),
        "chinese": repeat_to_size([chinese(rng) for _ in range(1500)]),
        "code": repeat_to_size(code_documents()),
    }
