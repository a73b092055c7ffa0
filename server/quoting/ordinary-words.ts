/**
 * Whether a word is one that anybody writes: common English, the language of offices and of software, and regular
 * inflections of both. Names that are words as well (`mark`, `rose`, `baker`) are in; so are the remains of
 * contractions (`s` of `customer's`).
 *
 * @param foldedWord letters in lower case, without accents
 */
export function isOrdinaryWord(foldedWord: string): boolean {
	words ??= new Set(WORDS.split(/\s+/));
	return words.has(foldedWord) || isInflected(foldedWord, words);
}

/** Whether an ordinary word has its capitals in the middle of a sentence too: days, months, languages, acronyms. */
export function isAlwaysCapitalised(foldedWord: string): boolean {
	capitalised ??= new Set(CAPITALISED.split(/\s+/));
	return capitalised.has(foldedWord);
}

/** Split when first asked for. */
let words: ReadonlySet<string> | undefined;
let capitalised: ReadonlySet<string> | undefined;

/** Endings, what a base form has in place of them, and how long that has to be: `ash` makes no `asher`. */
const ENDINGS = [
	{ ending: 's', bases: [''], least: 3 },
	{ ending: 'es', bases: [''], least: 3 },
	{ ending: 'ies', bases: ['y'], least: 3 },
	{ ending: 'ed', bases: ['', 'e'], least: 3 },
	{ ending: 'ied', bases: ['y'], least: 3 },
	{ ending: 'ing', bases: ['', 'e'], least: 3 },
	{ ending: 'er', bases: ['', 'e'], least: 4 },
	{ ending: 'ier', bases: ['y'], least: 4 },
	{ ending: 'est', bases: ['', 'e'], least: 4 },
	{ ending: 'iest', bases: ['y'], least: 4 },
	{ ending: 'ly', bases: ['', 'le'], least: 4 },
	{ ending: 'ily', bases: ['y'], least: 4 },
] as const;

const DOUBLED = /([bdgklmnprt])\1$/;

function isInflected(word: string, bases: ReadonlySet<string>): boolean {
	return ENDINGS.some(({ ending, bases: replacements, least }) => {
		if (!word.endsWith(ending)) return false;
		const stem = word.slice(0, -ending.length);
		if (replacements.some((base) => stem.length + base.length >= least && bases.has(stem + base))) return true;
		const doubles = ending === 'ed' || ending === 'ing' || ending === 'er' || ending === 'est';
		return doubles && DOUBLED.test(stem) && stem.length > 3 && bases.has(stem.slice(0, -1));
	});
}

const CAPITALISED = `
american anthropic api apple april asia atm august aws british ceo cfo chinese ci claude cpu crm css csv cto december
dns dutch england english erp eu eur europe european faq february france french friday ftp gbp german germany github
gitlab google gps gpu greek hr html http https i iban id imap ip iso isp it italian january japanese java javascript
json july june linux march markdown mcp mfa microsoft monday mr mrs ms mysql ngo november npm october ok otp pdf php
pin pm pr ram russian saturday sdk september sms smtp spanish sql ssd ssh ssl sso sunday tbd tcp thursday tls todo
tuesday udp ui uk unix uri url us usa usb usd utc uuid vat vpn wednesday wifi xml yaml
`.trim();

const WORDS = `
a abandon abbreviation ability able aboard abort about above abroad absence absent absolute absolutely absorb
abstract abundance abuse academic academy accept acceptable acceptance access accessible accident accidental
accommodate accommodation accompany accomplish accordance according accordingly account accountant accounting
accumulate accuracy accurate accuse achieve acid acknowledge acquire across act action activate activation active
actively activity actor actress actual actually adapt add addition additional addon address addressee adequate
adjacent adjust admin administration administrative administrator admire admission admit admittedly adopt adult
advance advanced advantage adventure advertise advertisement advertising advice advise adviser affair affect afford
aforementioned afraid africa after afternoon afterwards again against age agency agenda agent aggressive ago agree
agreed agreement agriculture ahead aid aim ain air aircraft airline airport aisle aka alarm album alcohol alert
algorithm alias align alignment alike alive all allegation allege allergy alliance allied allocate allocation allow
allowance allowlist ally almost alone along alongside aloud alpha alphabet alphabetical alphabetically alphanumeric
already also alt alter alternate alternative although altogether always am amazing amazon ambiguous ambition
ambulance amend amendment america american amid among amount ample an analog analyse analysis analyst analytics
analyze anchor ancient and android angel anger angle angry animal ankle anniversary annotate annotation announce
announcement annoy annual anonymise anonymize anonymous anonymously another answer ant anthropic anticipate antique
anxiety anxious any anybody anymore anyone anything anyway anywhere apache apart apartment api apis apologise
apologize apology app apparent apparently appeal appear appearance append applause apple appliance applicable
applicant application apply appoint appointment appreciate approach appropriate approval approve approx approximate
approximately apr april apt aquarium arbitrary arc architect architecture archive are area aren arg args argue
argument arise arithmetic arm army arose around arrange arrangement array arrest arrival arrive arrogant arrow art
article artifact artificial artist as asc ascending ascii ash asia aside ask asleep aspect aspirin assault assemble
assembly assert assertion assess assessment asset assign assignment assist assistance assistant associate association
assume assumption assurance assure astonishing astronaut async asynchronous at ate athlete atm atmosphere atom attach
attachment attack attain attempt attend attendance attendee attention attic attitude attorney attract attractive
attribute auction audience audio audit auditing auditor aug august aunt auth authentic authenticate authentication
authenticator author authorisation authorise authoritative authority authorization authorize authorship auto
autocomplete autofill automate automatic automatically automation autumn availability available avatar avenue average
aviation avoid await awake award aware away awful awkward aws axis baby bachelor back backend backfill background
backlog backslash backspace backtick backup backward backwards bacon bad badge badly bag baggage bail bake baker
bakery balance balcony ball ballot bamboo ban banana band bandwidth bang bank banker bankrupt banner bar barber bare
barely bargain bark barn barrel barrier base baseline basement bash basic basically basin basis basket basketball bat
batch bath bathroom bathtub battery battle bay be beach beacon beam bean bear beard bearing beast beat beaten
beautiful beauty became because become bed bedroom bee beef been beer before beg began begin beginner beginning begun
behalf behave behavior behaviour behind behold being belief believe bell belong beloved below belt bench benchmark
bend beneath beneficial beneficiary benefit bent berry beside besides best bet beta better between beverage beyond
bible bibliography bicycle bid bidder big bike bill billing billion bin binary bind binding biography biology bird
birth birthdate birthday birthplace biscuit bishop bit bite bitmap bitten bitter black blackboard blacklist blade
blame blank blanket bled blend bless blew blind blob block blocker blog blonde blood bloom blow blown blue blueprint
bluff blunt board boat body boil boilerplate bold bolt bomb bond bone bonus book booking bookkeeping bookmark
bookshop boolean boost boot bootstrap border bore boring born borough borrow boss bot botanical both bother bottle
bottom bought boulevard bounce bound boundary bow bowl box boy boyfriend bracelet braces bracket brackets brain brake
branch brand brave breach bread breadcrumb break breakdown breakfast breath breathe bred breed breeze brewery brick
bride bridge brief briefcase briefly bright brilliant bring british broad broadband broadcast brochure broke broken
broker bronze brother brought brown browse browser bruise brush bubble bucket buddy budget buf buffer bug build
builder building built builtin bulk bullet bulletin bump bumper bunch bundle bungalow burden bureau burglar burial
burn burnt burst bury bus bush business busy but butcher butter butterfly button buy buyer by bypass bystander byte
cabin cabinet cable cache cafe caffeine cake calculate calculation calculator calendar calibrate call callable
callback caller calm came camera camp campaign campus can canal cancel cancellation cancer candidate candle cannot
canonical canvas cap capability capable capacity capital captain caption capture car caravan carbon card cardboard
care career careful careless carer cargo carpenter carpet carriage carrier carrot carry cart cartoon carve cascade
case cash cashier casino cast castle casual cat catalog catalogue catalyst catch category cater cathedral cattle
caught cause caution cave caveat cd cdn cease ceiling celebrate celebration cell cellar cellphone cement censor
census cent center central centre century ceo ceramic ceremony cert certain certainly certainty certificate
certification certify cfg cfo chain chair chairman challenge chamber champion chance change changelog changeset
channel chapel chapter char character characteristic charge charger charity charm chart charter chase chat cheap
cheat check checkbox checked checker checklist checkout checksum cheek cheerful cheese chef chemical chemist
chemistry chest chicken chief child childcare childhood children chimney chin chinese chip chocolate choice choose
chop chose chosen chrome chromium chronic chronological chunk church ci cigarette cinema cipher circle circuit
circular circumstance citation cite citizen citizenship city civil civilian claim clarification clarify clarity class
classic classification classified classify classroom claude clause clay clean cleaner cleaning cleanup clear
clearance clearing clearly clergy clerk clever cli cliche click client cliff climate climb clinic clip clipboard
clock clockwise clone close closely closet closure cloth clothes clothing cloud club clue cluster cmd co coach coal
coast coastal coat cobbler code codebase coffee coffin cognitive coherent coin coincide cold collaborate
collaboration collaborator collapse collar collateral colleague collect collection collective collector college
collide collision colon colony color colour column columns com combination combine combo come comedy comfort
comfortable comma command commander comment commerce commercial commission commissioner commit commitment committee
commodity common commonly communicate communication community commute compact companion company comparable compare
comparison compat compatibility compatible compelling compensation compete competition competitive competitor
compilation compile compiler complain complaint complete completely completion complex complexity compliance
compliant complicated comply component compose composer composition compound comprehensive compress compression
comprise compromise compulsory compute computer concatenate concatenation concentrate concentration concept concern
concerned concert concise conclude conclusion concrete concurrent concurrently condemn condition conditional conduct
conf conference confess confidence confident confidential confidentiality config configurable configuration configure
confine confirm confirmation conflict conform confront confuse confusing confusion congratulate congress conjunction
connect connection connector conscious consecutive consensus consent consequence consequently conservative consider
considerable consideration consist consistency consistent console consolidate conspiracy constant constituency
constitute constitution constrain constraint construct construction constructor consulate consult consultant
consultation consume consumer consumption contact contain container contaminate contemporary contempt contender
content contents contest context continent continual continue continuous contract contractor contradict contradiction
contrary contrast contribute contribution contributor control controller convenient convention conventional
conversation conversion convert convey convince cook cooker cookie cool cooper cooperate cooperation cooperative
coordinate coordinator cope copied copper copy copyright core corn corner corporate corporation corpus correct
correction correctly correctness correlate correlation correspond correspondence corresponding corridor corrupt cost
costly cottage cotton cough could couldn council counsel count counter counterpart country countryside county couple
courage courier course court courtesy courtyard cousin cover coverage covid cow cpp cpu crack craft crash crawl
crawler crazy cream create creation creative creator creature credential credentials credible credit creditor creek
crew cried crime criminal crisis criteria criterion critic critical criticism criticize crm cron crontab crop cross
crossing crowd crown crucial crude cruel cruise cry crypto cryptographic crystal cs css csv cto cube cucumber cue
cultivate cultural culture cup cupboard cure curious curl currency current currently cursor curtain curve custody
custom customary customer customise customization customize customs cut cute cwd cyber cycle cylinder d dad daemon
daily dairy damage damp dance danger dangerous dare dark darkness dash dashboard data database dataframe dataset date
daughter dawn day daylight deactivate dead deadline deadlock deaf deal dealer dealt dear death debate debit debris
debt debtor debug dec decade deceased december decent decide decimal decision decisive deck declaration declare
decline decode decoder decorate decouple decrease decrement decrypt decryption dedicate deduct deduction deduplicate
deem deep deeply deer default defeat defect defence defend defendant defense defer deficiency deficit define definite
definitely definition degree delay delegate delegation delete deletion deliberate deliberately delicate delicious
delight delimiter deliver deliverable delivered delivery delta demand demo democracy democrat demographic demonstrate
demonstration denial denominator denote dense density dental dentist deny denylist dep depart department departure
depend dependant dependency dependent depict deploy deployment deposit deprecate deprecated deprecation depress
depression deps depth deputy derivative derive desc descend descendant descending describe description descriptor
deserialize desert deserve design designate designer desirable desire desk desktop desperate despite destination
destroy destruction detach detail detailed detect detection detector detention deteriorate determine dev develop
developer development deviation device devil devops devote devtools diagnosis diagnostic diagonal diagram dial
dialect dialog dialogue diameter diamond diary dict dictionary did didn die diet diff differ difference different
differentiate differently difficult difficulty dig digest digit digital diligence diligent dimension diminish dinner
diploma diplomat diplomatic direct direction directive directly director directory dirname dirt dirty disability
disable disabled disadvantage disagree disappear disappoint disaster disc discard discharge discipline disclaimer
disclose disclosure disconnect discount discourage discover discovery discrepancy discrete discretion discriminate
discrimination discuss discussion disease disguise dish disk dismiss disorder dispatch dispatcher displace display
disposal dispose dispute dissolve distance distant distinct distinction distinctive distinguish distort distribute
distribution distributor district disturb div dive diverse diversity divide division divorce dns do doc dock docker
dockerfile docs doctor doctrine document documentation documented docx does doesn dog doing dollar dolphin domain
domains domestic dominate don donate donation done donor door dormant dossier dot double doubt down downgrade
download downside downstream downtown downward dozen draft drag drain drama dramatic drank draw drawback drawer
drawing drawn dream dress drew drift drill drink drive driven driver drop dropdown drove drown drug drum drunk dry
dual duck due dug dummy dump duplicate duplication durable duration during dust dutch duty dwell dwelling dynamic
dynamically dynamics e each eager eagle ear earlier early earn earnings earring earth ease easily east easter eastern
eastward easy eat eaten echo eclipse economic economics economist economy ecosystem edge edit edited editing edition
editor editorial edu educate education educational effect effective effectively efficiency efficient effort eg egg
eight eighteen eighth eighty either elaborate elastic elbow elder elderly elect election electric electrical
electricity electronic elegant element elementary elephant elevate elevation elevator eleven eligible eliminate elite
else elsewhere email embassy embed embedded embrace emerge emergency emission emit emotion emotional emperor emphasis
emphasize empire employ employed employee employer employment empty enable enact enclose enclosed encode encoding
encounter encourage encrypt encryption end endorse endorsement endpoint endure enemy energy enforce enforcement
engage engagement engine engineer engineering england english enhance enjoy enormous enough enquire enquiry enrich
enroll enrolment ensemble ensure entail enter enterprise entertain entertainment enthusiasm entire entirely entitle
entity entrance entrepreneur entries entry enum enumerate env envelope environment environmental eof eol epidemic
episode equal equality equally equation equip equipment equivalent era erase erp erroneous error escalate escalation
escape escort eslint especially essay essence essential essentially establish establishment estate estimate etc ethic
ethical ethnic eu eur euro europe european evaluate evaluation even evening event events eventually ever every
everybody everyday everyone everything everywhere evict evidence evident evil evolution evolve exact exactly
exaggerate exam examination examine example exceed excellent except exception excerpt excess excessive exchange
excite exciting exclamation exclude exclusion exclusive excuse exec executable execute execution executive exempt
exercise exhaust exhaustive exhibit exhibition exist existence existing exit expand expansion expect expectation
expedite expenditure expense expensive experience experienced experiment experimental expert expertise expiration
expire expiry explain explanation explanatory explicit explicitly explode exploit exploration explore explosion
exponent export expose exposure express expression expressly ext extend extensible extension extensive extent
external extinct extra extract extraction extractor extraordinary extreme extremely eye fabric fabricate facade face
facebook facilitate facility fact factor factory factual faculty fade fail failure faint fair fairly faith faithful
fall fallacy fallback fallen false falsely fame familiar family famous fan fancy faq far fare farm farmer fascinate
fashion fast fasten faster fat fatal fate father fault favor favorite favour favourite fax fear feasibility feasible
feather feature feb february fed federal federation fee feed feedback feel feeling feet fell fellow felony felt
female fence festival fetch fever few fewer fiber fibre fiction field fierce fifo fifteen fifth fifty fig fight
fighter figure file filename files filesystem fill film filter final finalise finalize finally finance financial find
finding fine finger fingerprint finish finite fire firewall firm firmware first firstly fiscal fish fisher fisherman
fit fitness five fix fixed fixture flag flaky flame flash flat flatten flavor flavour flaw flawed fled fleet flesh
flew flexibility flexible flicker flight flip float flood floor flour flow flower flown flu fluctuate fluent fluid
flush fly focus fog fold folder folk follow follower following font food fool foot footage football footer footnote
for forbid force forecast foreground forehead foreign foreigner foremost forest forever foreword forget forgive
forgot forgotten fork form formal format formation formatter formatting former formerly formula formulate fort forth
forthcoming fortune forty forum forward forwards foster fought found foundation founder fountain four fourteen fourth
fox fraction fracture fragile fragment frame framework france franchise frank fraud free freedom freeze freight
french frequency frequent frequently fresh fri friday friend friendly friendship frog from front frontend frontier
frontmatter frost froze frozen fruit frustrate frustration ftp fuel fulfil fulfill fulfilment full fullname fully fun
function functional functionality fund fundamental funeral funny fur furnish furniture further furthermore fuse
future fuzzy gadget gain gallery game gang gap garage garbage garden gardener gas gate gateway gather gauge gave gaze
gb gbp gear gender gene general generally generate generation generator generic generous genetic genius genre gentle
gentleman gently genuine geography geometry german germany gesture get getter ghost giant gift girl girlfriend git
github gitignore gitlab give given glad glance glass glimpse glob global glory glossary glove glue go goal goat god
goes going golang gold golden golf gone good goodbye goods google gossip got gotten gov govern governance government
governor gown gps gpu grab grace graceful gracefully grade gradual gradually graduate grain grammar grand grandfather
grandmother grandparent grant granular grape graph graphic graphics grass grateful gratitude grave gravity gray great
greatly greedy greek green greet greeting grep grew grey grid grief grip grocer grocery groom gross ground group
grouping grow grown growth guarantee guarantor guard guardian guess guest gui guid guidance guide guideline guilty
guitar gun guy gym gz gzip habit habitat had hadn hair hairdresser half halfway hall hallway halt ham hammer hand
handbook handful handle handler handling handshake handsome handwriting handy hang happen happy harassment harbor
harbour hard hardcode hardcoded hardly hardship hardware harm harmful harmony harsh harvest has hash hasn hasty hat
hate have haven having hazard he head headache header heading headline headquarters health healthy heap hear heard
hearing heart heartbeat heat heating heaven heavily heavy hedge height heir held helicopter hell hello helmet help
helper helpful hence her herb here heritage hero hers herself hesitate heuristic hex hexadecimal hey hi hidden hide
hierarchy high highlight highlights highly highway hill him himself hindsight hint hip hire his historian historic
historical history hit hobby hold holder hole holiday holidays hollow holy home homepage homework honest honey honor
honour hook hope hopeful hopefully horizon horizontal horn horrible horror horse hospital host hostel hosting
hostname hot hotel hour hourly house household housing how however hr href hrs html http https hub huge human humor
humour hundred hung hungry hunt hunter hurry hurt husband hybrid hygiene hyperlink hyphen hypothesis i iban ice
iceberg icon id ide idea ideal ideally idempotent identical identifiable identification identifier identify identity
ideology idle ids ie if ignorance ignore ill illegal illness illusion illustrate illustration image imaginary
imagination imagine imap img immediate immediately immense immigrant immigration immutable impact impair imperative
impersonate implement implementation implementer implication implicit implicitly imply import importance important
importantly importer impose impossible impress impression impressive improve improvement impulse in inability
inaccurate inactive inappropriate inbox inc incentive inception inch incident inclined include including inclusion
inclusive income incoming incompatible incomplete inconsistent inconvenience incorrect increase increasingly
increment incremental incur indeed indefinite indefinitely indent indentation independence independent index indicate
indication indicator indices indirect individual industrial industry inevitable infant infection infer inference
infinite inflation influence info inform informal information informative infrastructure ingredient inhabitant
inherit inheritance inhibit ini init initial initialise initialization initialize initially initiative inject
injection injure injury ink inline inner innocent innovation input inquiry insect insensitive insert inside insight
insist inspect inspection inspector inspire instal install installation installer instance instant instead institute
institution instruct instruction instructor instrument insufficient insulate insurance insure int intact intake
integer integral integrate integration integrity intellectual intelligence intelligent intend intense intensity
intent intention intentional intentionally interact interaction interactive intercept interchange interest interested
interesting interface interfere interference interim interior interleave intermediate intermittent internal
internally international internet interoperability interpolate interpret interpretation interpreter interrupt
intersect intersection interval intervention interview intimate into intranet intrinsic introduce introduction
intuitive invalid invalidate invent invention inventory invert invest investigate investigation investigator
investment investor invisible invitation invite invocation invoice invoicing invoke involve involved io ip iron
irregular irrelevant irrespective is island isn iso isolate isolated isolation isp issue issuer it italian italic
item iterate iteration iterator itinerary its itself jacket jail jam jan january japanese jargon java javascript jet
jewel jewelry job join joint joke journal journalist journey joy jpeg jpg js json jsx judge judgement judgment juice
jul july jump jun june jungle junior jury just justice justification justify kb keen keep kept kernel kettle key
keyboard keyword kick kid kidney kill killer kilometer kilometre kind kindly king kingdom kiss kit kitchen knee knew
knife knight knit knock know knowledge known kt kubernetes lab label labor laboratory labour lack ladder lady lag
laid lake lamb lambda lamp land landing landline landlord landmark landscape lane lang language lap laptop large
largely laser last lasting lastname late lately latency later latest latin latitude latter laugh laughter launch
laundry law lawn lawsuit lawyer lay layer layout lazy lead leader leadership leading leaf league leak lean leap learn
learner learning learnt lease least leather leave lecture led ledger left leg legacy legal legend legible legislation
legislative legitimate leisure lemon lend lender length lens lent less lesson let letter level lexer lexical lexicon
li liability liable liaison lib liberal liberty librarian library licence license licensee lid lie lieutenant life
lifecycle lifestyle lifetime lift light lighting lightweight like likelihood likely likewise limb limit limitation
limited line linear linen lines link linked linkedin lint linter linux lion lip liquid list listen listener listing
lit literal literally literary literature little live lively liver living ll llc load loader loan lobby local locale
localhost locate location locator lock lockfile locksmith log logger logging logic logical login logo logout lonely
long longer longitude look lookup loop loophole loose lord lorry lose loss lossy lost lot lottery loud love lovely
lover low lower lowercase loyal loyalty ltd luck lucky luggage lunch lung luxury lying m mac machine machinery macro
mad made magazine magic magnet magnetic magnitude maid maiden mail mailbox main mainly mainstream maintain maintained
maintainer maintainers maintenance major majority make maker makeup male malformed malicious mall malware man manage
management manager managing mandate mandatory manifest manner manual manually manufacture manufacturer manufacturing
manuscript many map mapping mar marble march margin marginal marine marital mark markdown marker markers market
marketing marketplace markup marriage married marry mask masking mason mass massive master match matcher matching
mate material math mathematical mathematician mathematics matrix matter mature max maxima maximum may maybe mayor mb
mcp md me meal mean meaning meaningful means meant meantime meanwhile measure measurement meat mechanic mechanical
mechanism medal media median medical medication medicine medium meet meeting member membership memo memorandum
memorial memory men mental mention menu merchandise merchant mercy mere merely merge mess message messaging met meta
metadata metal metaphor meter method methodology metre metric mfa mice microphone microservice microsoft mid middle
middleware midnight might migrate migration mild mile mileage milestone military milk mill miller million millisecond
mime min mind mine mineral minified minimal minimise minimize minimum mining minister ministry minor minority mint
minus minute miracle mirror misc miscellaneous misconfigure misleading mismatch miss missing mission misspell
misspelled mist mistake mix mixed mixture mjs mkdir mobile mobility mock mod mode model modem moderate moderator
modern modest modification modify modular module modulo moment mon monday monetary money monitor monitoring monkey
monolith monorepo month monthly mood moon moral more moreover morning mortgage most mostly mother motion motivate
motivation motive motor motorway mount mountain mouse mouth move movement movie mr mrs ms msg much mud multi
multiline multilingual multipart multiple multiplication multiply municipal murder muscle museum music musical
musician must mustn mutable mutation mutex mutual mx my myself mysql mysterious mystery myth na naive naked name
named namely names namesake namespace naming narrative narrow nasty nation national nationality native natural
naturally nature navigate navigation navy near nearby nearest nearly neat neatly necessarily necessary necessity neck
need needle needn negate negative neglect negotiate negotiation neighbor neighborhood neighbour neighbourhood neither
nephew nerve nervous nest nested net network networking neutral never nevertheless new newer newest newline newly
news newsletter newspaper next ngo nice nickname niece night nightly nightmare nine nineteen ninety ninth no nobody
node nodejs noise noisy nominal nominate nomination nominee non none nonexistent nonsense noon nor norm normal
normalise normalization normalize normally north northern nose not notable notably notation note notebook noted
noteworthy nothing notice noticeable notification notify notion notwithstanding nov novel november now nowhere npm
npx ns nuance nuclear null nullable num number numbering numeric numerical numerous nurse nursery nut oak oauth obey
obfuscate obj object objection objective obligation oblige obscure observation observe observer obsolete obstacle
obtain obvious obviously occasion occasional occasionally occupant occupation occupy occur occurrence ocean oct
october odd odds of off offence offend offender offending offense offensive offer office officer official offline
offset often oh oil ok okay ol old older oldest omit on onboarding once oncoming one ones ongoing onion online only
onto opaque open opening openly opera operate operating operation operational operator opinion opponent opportunity
oppose opposite opposition ops opt optical optimal optimisation optimise optimistic optimization optimize optimizer
option optional options or oral orange orchestra orchestrate order ordering orderly ordinary org organ organic
organisation organise organization organize orientation origin original originally originate orphan other others
otherwise otp ought our ours ourselves out outage outbound outbreak outcome outdated outdoor outer outgoing outlet
outline outlook output outright outside outsource outstanding outward oven over overall overcome overdue overflow
overhead overlap overload overlook overnight overridden override overseas oversight overtime overview overwhelming
overwrite owe own owner ownership oxygen pace pack package packaging packet pad page pages pagination paid pain
painful paint painter painting pair palace pale palm pamphlet pan pane panel panic pants paper paperwork paradigm
paragraph parallel param parameter parcel pardon parent parentheses parenthesis parity park parking parliament parse
parser part partial partially participant participate participation particular particularly partition partly partner
partnership party pass passage passcode passenger passerby passion passive passphrase passport password past paste
pastor patch path pathname patience patient patrol pattern pause pay payable payee payer payload payment paypal
payroll payslip pc pdf pdfs peace peaceful peak pear peasant pedestrian peer pen penalty pence pencil pendant pending
penny pension people pepper per perceive percent percentage perception perfect perfectly perform performance
performer perhaps perimeter period periodic peripheral permalink permanent permission permissive permit perpetual
persist persistence persistent person personal personalise personality personalize personally personnel perspective
persuade pertain pet petrol pharmacy phase phenomenon philosophy phone photo photograph photographer photography php
phrase physical physically physician physics piano pick picker picture pie piece pig pile pilot pin pine ping pink
pint pip pipe pipeline pit pitch pivot pixel pizza pkg place placeholder plain plaintext plaintiff plan plane planet
planner planning plant plastic plate platform play playback player playground plea plead pleasant please pleased
pleasure plenty plot plug plugin plumber plural plus pm png pnpm poc pocket podcast poem poet poetry point pointer
poison pole police policeman policy polish polite political politician politics poll polling pollution pond pool poor
pop pope popular popularity population popup port portable porter portfolio portion portrait pose position positive
posix possess possession possibility possible possibly post postal postcard postcode poster postfix postgres postman
postmaster postpone postscript pot potato potential potentially potter pound pour poverty powder power powerful pr
practical practically practice practise practitioner pragmatic praise pray prayer pre preach preamble precaution
precede precedence precedent precise precisely precision predecessor predefined predicate predict predictable
prediction prefer preference prefix pregnancy pregnant preliminary preload premature premise premises premium
preparation prepare prepend prerequisite prescription presence present presentation preserve presidency president
press pressure presumably presume pretend pretty prevail prevalent prevent prevention preview previous previously
price pricing pride priest primarily primary prime primitive prince princess principal principle print printer prior
priority prison prisoner privacy private privilege privileged prize pro probability probable probably probation probe
problem procedural procedure proceed process processing processor proclaim procure procurement prod produce producer
product production productive productivity profession professional professor profile profiler profit profound program
programmatically programme programmer programming progress prohibit project proliferate prominent promise promising
promote promotion prompt promptly prone pronounce proof proofread propagate propagation proper properly property
proportion proposal propose proprietary prose prosecutor prospect protect protection protective protein protest proto
protocol prototype proud prove proven provide provided provider province provision proximity proxy pseudonym
pseudonymise psychological psychology pub public publication publicity publicly publish publisher pull pump punch
punctuation punish punishment pupil purchase purchaser purchasing pure purely purge purple purpose purse pursue push
put puzzle py python quadratic qualification qualified qualify quality quantify quantitative quantity quarantine
quarter quarterback quarterly queen query queryable quest question questionnaire queue quick quickly quicksort quiet
quietly quit quite quota quotation quote rabbit race racing rack radar radiation radical radio radius rail railway
rain raise ram ran random randomly rang range rank ranking rapid rapidly rare rarely rate rather rating ratio raw ray
rb re reach react reaction reactor read readability readable reader readily reading readme ready real realise
realistic reality realize really realm rear reason reasonable reasonably reassign rebase rebuild recall receipt
receivable receive receiver recent recently reception recipe recipient reciprocal reckon recognise recognition
recognize recommend recommendation reconcile reconciliation record recorder recording recover recovery recruit
recruitment recurrence recurring recursion recursive recycle red redact redaction redesign redirect redis
redistribute redo reduce reduction redundant ref refactor refactoring refer referee reference referenced referential
referral refill refine reflect reflection reform refresh refrigerator refund refusal refuse regard regarding
regardless regards regenerate regex regexp regime region regional register registrar registration registry regression
regret regular regularly regulate regulation regulator regulatory reimburse reimbursement reinstall reiterate reject
rejection relate related relation relational relationship relative relatively relax relay release relevance relevant
reliability reliable reliably relief relieve religion religious reload relocate relocation reluctant rely remain
remainder remaining remark remarkable remedy remember remind reminder remittance remnant remote removal remove
remover rename render renew renewal rent rental reopen reorder repair repeat repeated repeatedly repetition
repetitive replace replacement replay replica replicate reply repo report reporter reporting repository represent
representation representative reproduce reproducible reproduction reputation request requester require required
requirement res rescue research researcher reservation reserve reset reside residence resident residential residue
resign resilience resilient resist resistance resolution resolve resolver resort resource respect respective
respectively respond respondent response responsibility responsible responsive rest restart restaurant restful
restore restrict restriction resubmit result resultant resume retail retailer retain retention retire retirement
retrieval retrieve retry return reusable reuse reveal revenue reverse revert review reviewer revise revision revoke
revolution revolutionary reward rewrite rewritten rhythm rice rich rid ride rider ridge rifle right rights ring riot
rise risen risk risky rival river road roadmap robot robust rock rocket rod rode role roll rollback roller roman
romance romantic roof room root rope rose roster rotate rotation rough roughly round rounding route router routine
routing row royal rs rsa rubber rubbish rubric rude rug ruin rule ruler rules run runbook rung runner running runtime
rural rush russian rust s sabbatical sack sacred sacrifice sad saddle safe safely safety said sail sailor saint sake
salad salary sale sales salesman salmon salt same sample sanction sand sandbox sandwich sang sanitise sanitize sat
satellite satisfaction satisfied satisfy saturday sauce sausage save saving savings saw say says scaffold scalable
scale scan scandal scanner scarce scared scattered scenario scene schedule scheduler schema scheme scholar
scholarship school science scientific scientist scissors scope score scrape scraper scratch scream screen screenshot
script scroll scrutiny sdk sea seal seamless seamlessly search season seasonal seat sec second secondary secondly
secret secretary section sector secure securely security see seed seek seem seen segment seize select selection
selective selector self sell seller semantic semantics semester semi semicolon seminar semver senate senator send
sender senior sense sensible sensitive sensitivity sent sentence sentiment sep separate separately separation
separator sept september sequence sequential serial serialise serialization serialize serializer series serious
seriously serve server serverless servers service serving session set setback setter setting settings settle
settlement setup seven seventeen seventh seventy several severe severity sex sexual sh shade shadow shake shall
shallow shame shape shard share shared shareholder sharp she shed sheep sheet shelf shell shelter shepherd sheriff
shield shift shine ship shipment shipping shirt shock shoe shone shook shoot shop shopping shore short shortage
shortcut shorthand shortlist shortly shot should shoulder shouldn shout show showcase shower shown shrink shuffle
shut shutdown shy sibling sick side sidebar sidewalk sight sign signal signature significance significant
significantly signing silence silent silk silly silver similar similarity similarly simple simplicity simplified
simplify simply simulate simulation simultaneously sin since sing singer single singleton singular sink sir sister
sit site sitemap situation six sixteen sixth sixty size skeleton sketch skewed ski skill skin skip skirt sky slack
slash slave sleep slept slice slide slight slightly slim slip slot slow slowly slug small smart smell smile smith
smoke smooth smoothly sms smtp snack snake snap snapshot sneak snippet snooze snow so soap social socialise socially
society sock socket sofa soft software soil solar sold soldier sole solely solicitor solid solution solve some
somebody someday somehow someone something sometimes somewhat somewhere son song soon sophisticated sorry sort
sorting soul sound soup source sources south southern space spacing spam span spanish spare spark sparse spatial
spawn speak speaker spec special specialise specialist specialize specific specifically specification specifier
specify specimen spectacular spectrum speculate speech speed spell spelling spend spent sphere spice spider spike
spin spirit spiritual spite split spoke spoken spokesman spokesperson sponsor spontaneous spoon sporadic sport spot
spouse sprang spread spreadsheet spring sprint spy sql square squeeze src ssd ssh ssl sso stability stable stack
stadium staff stage staging stair stake stakeholder stale stall stamp stand standalone standard standardise
standardize standing standpoint star stare start starter starting startup state statement static station statistic
statistical statistics stats statue status statute stay stayed stderr stdin stdout steadily steady steal steam steel
steep steer stem step stepwise stereotype steward stick sticky stiff still stipulate stir stock stole stolen stomach
stone stood stop stopping storage store storefront storey storm story stove str straight straightforward strand
strange stranger strategic strategy straw stream streamline street strength strengthen stress stretch strict strictly
strike striking string stringent strings strip stroke strong strongly struck structural structure struggle stub stuck
student studio study stuff stupid style stylesheet stylish sub subagent subclass subdirectory subdomain subfolder
subject subjective submission submit subnet subordinate subroutine subscribe subscriber subscription subsequent
subsequently subset subsidiary subsidy substance substantial substantially substitute substring subtle subtotal
subtract suburb succeed success successful successfully successive successor such sudden suddenly sudo sue suffer
sufficient sufficiently suffix sugar suggest suggestion suit suitable suite sum summarise summarize summary summer
summit sun sunday sung sunny super superior supersede superset supervise supervisor supper supplement supplementary
supplier supply support supporter suppose supposed suppress sure surely surface surgeon surgery surname surplus
surprise surprised surprising surprisingly surrogate surround surveillance survey survival survive susceptible
suspect suspend suspicion suspicious sustain sustainable svg swap swear sweep sweet swept swim swing switch sword
swore symbol symbolic symlink symmetric symmetrical sympathy symptom sync synchronise synchronize synchronous synonym
synopsis syntax synthesis synthetic sysadmin system systematic t tab table tables tablet tabular tackle tactic tag
tail tailor take taken tale talent talk tall tally tangible tank tap tape tar tarball target task taste tau taught
tax taxi taxpayer tbd tbody tcp td tea teach teacher teaching team tear tech technical technically technician
technique technology tedious teenager teeth telephone television tell temp temper temperature template temple
temporarily temporary ten tenant tend tendency tender tennis tension tent tentative tenth tenure term terminal
terminate termination terminology terms terrain terrible territory terror test testable tested tester testimony
testing tests text textarea textbook textual th than thank thanks that the thead theater theatre theft their theirs
them theme themselves then theoretical theory therapist therapy there thereafter thereby therefore thereof thesaurus
these thesis they thick thief thin thing think third thirdly thirteen thirty this thorough thoroughly those though
thought thousand thread threat threaten three threefold threshold threw throat throne through throughout throughput
throw thrown thu thumb thunder thursday thus tick ticket tide tidy tie tiger tight till timber time timeline timely
timeout timer times timestamp timetable timezone timing tin tiny tip tired tissue title tldr tls tmp to tobacco today
todo toe together toggle toilet token tokenise tokenize tokenizer told tolerance tolerate toll tomato toml tomorrow
ton tone tongue tonight too took tool toolbar toolchain tooling toolkit tools tooltip tooth top topic topology torn
toss total totally touch touchscreen tough tour tourism tourist toward towards tower town toy tr trace traceable
traceback track tracker tracking traction trade trademark trader trading tradition traditional traffic tragedy trail
trailing train trainer training trait trajectory transaction transcribe transcript transfer transform transformation
transient transit transition transitive translate translation translator transmission transmit transparency
transparent transport transportation trap trash travel traveler traveller traversal traverse tray treasure treasurer
treasury treat treatment treaty tree tremendous trend trial triangle tribe trick tried trigger trillion trim trip
triple triumph trivial troop trouble troubleshoot troubleshooting truck true truly truncate truncation trunk trust
truth try ts tsx tty tube tue tuesday tune tunnel tuple turn turner turnover tutor tutorial tweak twelfth twelve
twentieth twenty twice twin twist twitter two twofold txt type types typescript typical typically typing typo ubuntu
udp ugly ui uid uk ul ultimate ultimately umbrella unable unambiguous unanimous unauthorised unauthorized unavailable
unaware unbounded uncaught uncertain uncertainty unchanged uncle unclear undefined under undergo underground
underline underlying undermine understand understanding understood undertake underway undesirable undo undocumented
unemployed unemployment unexpected unexpectedly unformatted unfortunately unhandled unicode unified uniform unify
uninitialised uninitialized uninstall union unique uniquely unit unite united universal universe university unix
unknown unless unlike unlikely unlimited unlock unnecessary unpublished unreachable unread unreadable unrelated
unreliable unresolved unsafe unset unsigned unspecified unstable unsubscribe unsupported until untouched untracked
untrusted unused unusual unverified unzip up upcoming update updated upfront upgrade upkeep upload upon upper
uppercase upright upset upstairs upstream uptime urban urge urgency urgent uri url urls us usa usability usable usage
usb usd use used useful useless user username users usr usual usually utc utf util utilise utility utilize utils
utmost utterly uuid ux vacancy vacation vaccine vacuum vague val valid validate validation validator validity valley
valuable value values van vanilla vanish var variable variables variant variation variety various vary vast vat ve
vector vegetable vehicle vendor venture venue verb verbatim verbose verbosity verdict verification verify versatile
version versions versus vertex vertical very vessel vet veteran via viable vice vicinity victim victory video view
viewer viewpoint viewport village vine vintage violate violation violence violent virtual virtually virtue virus visa
visibility visible vision visit visitor visual vital vite vitest vocabulary vocal voice void volatile volume
voluntary volunteer vote voter voucher vpn vs vscode vulnerability vulnerable wage wages waist wait waiter walk
walker walkthrough wall wallet wander want war ward wardrobe warehouse warm warmth warn warning warrant warranty was
wash wasn waste watch watcher water watermark wave way we weak weakness wealth wealthy weapon wear weather weaver web
webhook weblog webpack webpage website wed wedding wednesday weed week weekday weekend weekly weigh weight weird
welcome welfare well went were weren west western wet what whatever whatsapp wheat wheel when whenever where
whereabouts whereas whereby wherever whether which whichever while whisper white whitelist whitespace who whoever
whole wholesale wholesaler wholly whom whose why wicked wide widely widen widespread widget widow width wife wifi
wiki wild wildcard wildlife will willing win wind window windows wine wing winner winter wipe wire wireless wisdom
wise wish with withdraw withdrawal withdrawn withhold within without witness woke woken wolf woman women won wonder
wonderful wood wooden wool word wording wordpress words wore work workaround workbook worker workflow workforce
working workload workplace worksheet workshop workspace workstation world worldwide worm worn worried worry worse
worship worst worth worthless worthwhile worthy would wouldn wound wrap wrapper wrapping writable write writer
writing written wrong wrote www xdg xls xlsx xml xmlns yaml yard yarn yeah year yearbook yearly years yellow yes
yesterday yet yield yml you young youngster your yours yourself yourselves youth zero zip zipped zlib zod zone zones
zoo zoom
`.trim();
