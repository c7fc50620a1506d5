// First names of many languages, as a supplement to those that the tagger knows: the usual ones of each, in lower case,
// and only names that are no English word. Lists of common names in general, not of anybody in particular.

const NAMES = `
jan jean leo
aad aadu aarti abbas abdelaziz abdelkader abdelkarim abdulaziz abeba abebe abeer abena abhay abhijit abhinav abhishek
abidemi abimbola abiodun abiola achieng aco adaeze adalbert aðalheiður ádám adanna adaobi adebayo adebola adélaïde
adelino adeola adesuwa adetokunbo adil aditi aditya adjoa adnan adongo adrián afia afroditi afsaneh afua agata agathe
åge aggeliki agnė ágnes agnieszka agung agus agustín aherne ahlam ahmadou ahmadreza ahomana ahti aigerim aigul
aikaterini aiko ailbhe ailie ailsa aimé ainur aissata aissatou aistė aitana ajay ajda ajit ajša akari akash åke
akello akemi akhil aki akihiko akin akinyi akio ákos akosua aksel akshay akua akwasi alaa alapaki alasdair albane
albertina alcides alda aldo aled aleksi alemu alenka aleš alessia aleta algirdas alhassan alima alin aling aliou
alireza aliya aliyu alka alkis alla almaz almeida alofa alok alp altan altynai alun álvaro alvise alžběta ama amadi
amadou amaka amal aman amandine amani amara amare ambra ambroise amedeo amer américo amihan amin aminah amira amita
amitabh amma amol amparo amrita ana-maria anahit anahita anaïs analyn anand ananya anara anastasios anastasiya
anatole anca anđela andrás andraž andré andreea andreja andrés andris anetta anežka anfisa ângela angélique angelos
angus aníbal anica anikó anil anine anirudh anish anjali anjana anju anke ankit ankita ankur anne-marie annegret
anneke anneli annelies anneliese anong anouk antal antanas ante antigone antje antónia antonín antonina antónio
antonis antti anu anupama anuradha anurag anush anusha anwen anyango anže aoife aonghas aparna apinya apostolos ara
aram aranka aránzazu ararat arash arax archana arda ardeshir aregash arezoo argyris arie arief aris arjen arkadiusz
arkady arman armas armen armine arna arnar arne árpád arpi artak artavazd arthit arto arttu artyom arun aruna
arundhati aruzhan arvid arvind arvo arvydas arwa arwel arzu åsa asami asbjørn ásdís åse asel asem asena ashish ashok
ashot ashwin ashwini asim askar aslan aslaug aslı asma asmaa assel assunta asta ásta aster astghik asuka asunción
atawhai atef atefeh athanasios atieno atli atsushi attila attilio atul aude audrius auður aurel aurélie aurélien
aurelio aurore aušra avinash avraham avtandil awino axel ayako ayanda aydın ayelet ayla ayman ayo ayodele ayomide
ayşe ayşegül aytaç ayten ayu ayumi ayush azadeh azamat azat aziza babajide babak babatunde babis babita badr bahaa
bahar bahman bahram bakari bakyt balaji balázs baldev baldur bálint baltazar balwinder bambang bamidele banu bao-yu
baptiste baraka baran bärbel barış barnabás bartek bartłomiej bartosz baruch bas başak bashir basia basma bassam
bastiaan bastien bat-erdene batuhan batya bayani bayu beata begoña behnam behrouz behzad beka bekzat béla belgin
belmiro bence benedetta benedikt benigno benno benoît bente bento beppe beren bérénice berhane berhanu berit berk
berkay berna bernadett bernardino bernd besik bethan bhagat bharat bharati bhaskar bhavna bhim bhupinder biagio bijan
bilge bimal bina bindu binyamin bipin birger birgit birgitta birna birte birutė bishnu bjarke bjarne bjarni björk
björn bjørn blandine blanka bláthnaid blaž boakye boaz bodil bogdana boglárka bogusław bohumil bohuslav boitumelo
bojan bojana bola bolanle bolat bolesław bolot bongani bonifacio boonmee borja borut bota botagoz boubacar božena
bożena božidar bragi bram branka branko branwen breda břetislav bríd brigita britta bronisław bruna bryn brynja
brynjar budi bukola bülent burak burcu burhan bushra busisiwe büşra buyisiwe byung caetano çağla callum calum camelia
canan cándida cansu caoilfhionn caoimhe carmelo carwyn casimiro catalin cătălin cathal catrin catriona cayetano
cécile cecilie cédric cees ceit celestino célia céline celso cem cemal cemile cengiz ceren ceri ceridwen cerys césar
cesare çetin ceyda cezar cezary chai chaim chaiwat chana chandrika charalambos chau chaya chebet chege cheikh
chenguang chetan chiamaka chiara chidi chidinma chie chieko chihiro chika chike chima chimamanda chinedu chinonso
chinua chinwe chioma chipo chitra chiyo christer chrysa chukwudi chukwuemeka chul chun-hua chus cian cillian cinzia
ciprian citra cláudia cláudio clémence clément clemente clodagh codrin coen coinneach colm conceição concepción
concetta concha conchita cor corentin cormac cornel corrado corrie cosimo cosmin costanza costel crina crisanto
cristian cristiana cristóbal csaba csilla cuan cuong cvetka cyrille czesław daciana dae-jung dafna dafydd dagmar
dagný daichi daiki dainis daisuke daithi daiva dalia dalibor dalit daljit damini damir damjan danae dániel danijel
danijela danila dante danuta dao daouda dariush dariusz darja darko darmawan darragh darshan darshana darya dato
dauren dávid davide davit davor dawa dawid dawit debashish débora declan dedi deepa deepika defne deion delfim delyth
dembe dénes denisa deniz deogracias deolinda dermot derya desi desislava despina desta detlef devendra devi devika
devrim dewi dezső dganit dhruv diaa diallo dian diarmaid didem didier diego dijana dikembe dilara dilek dilip dilnoza
dilshan dilshod dilys dimas dimitar dimitra dimitrios dimitry dinara dinis dinuka diogo dionysis dipesh dirk-jan
divina divya djamila djibril dmytro dodong doğan doina domen domenico domhnall domhnull donal donatella donato
dong-hyun donnacha donncha dóra dorin dorota dörte dov dovilė dragana drago dragoș drahomíra duarte dubravka dulce
dumitru duong durga duša dušan duško duygu dvora dwi éabha eachann eamon eamonn ebba ebele eberhard ebo ebony ebru
ecaterina ece eckhard eda edda edeltraud edgardo edgars edin edita édith édouard edson edyta eefje eero eeva effie
efi efraín efua egil egill egle eglė eha ehsan ehud eifion eiji eiko eila eilidh eimear einar eino eira eirik eiríkur
eirini eirlys eithne ekaterine ekin eko ekow ekrem elad eladio elaheh elchin elçin elefteria eleftherios elek elene
eleonora eleri elfriede elham éliane eliezer eline elisabet elísabet elisabetta élise eliseu eliška eliyahu elke
ellinor elnur élodie eloísa elpidio els elsi elspeth elwyn elżbieta emad emanuele emeka emel emese emi emiko émile
émilie emlyn emőke emre emrys emyr encarnación endang endel endre ene enes engin enitan enkhjargal enn enrica enver
eòghan ephraim ercan erdal erdem eren erhan éric erkan erla erlan erling ermelinda ernő erol ersin ertuğrul erzsébet
esin esmail espen esra esraa estanislao estefanía estêvão eszter eteri étienne etsuko etti ettore eugénie eugenio
eulalia eun-ji eunji eusebio éva evangelia evangelos evaristo évelyne evgenia evren ewan eyal eyjólfur eylül ezequiel
ezinne ezio fabiana fabienne fábio fabiola fabricio facundo fadekemi fadia fadila fadime fadwa fahad faisal faiza
fajar farai farhad farhan fariba farid farideh farouk farrokh farrukh farzad farzaneh fata fatema fathi fatih fátima
fatou fawzi fayez fearghas federica felice feliciana feliciano feliks femi femke ferdousi ferenc fereshteh fereydoun
fergal feride ferit fermín fernand fernão ferruccio feruza fetu ffion fiachra fiame figen fikile fikret filemón
filipa filipe filippo filiz filomena finlay fintan fionnlagh fionnuala fiorella firas firouzeh fitri fırat flavia
flávia flavio flávio flavius flemming flóra florante florent florentina florin florinda floris folake folasade fotini
fotis fouad franca franck françois françoise franjo frans františek franz franziska frauke frédéric frederico freek
freyja friðrik friederike frode frøya fuad fulgencio fumiko fumio funda funmi funmilayo gábor gaël gaëlle gaétan
gaetano gagan galina galip galit gamze ganbaatar ganzorig garðar garegin gaspar gaston gathoni gaurav gauri gautam
gayane gayatri gearóid gede gediminas geert geeta geir gela gelu geneviève gennady gennaro genowefa geraint gérald
gérard gerd gerda gergely gergő germán gershon gertrudis getachew gethin gevorg géza ghada ghassan ghazal gheorghe
gheorghița gherardo ghislaine giada gianfranco giang gianluca gianluigi gianmarco gianni giannis gideon giedrė giga
gijs gila gilad ginette gintaras giorgia giorgos giota girish girma girolamo gisèle giulia giuliana giuliano giulio
giuseppina givi gizella gizem gleb glenys glória glyn gocha goitom gökhan golnaz gonçalo gönül gopal göran goranka
gordana goro goronwy govind graça graeme grainne gráinne graziella grażyna grégoire grete grethe grigor grigore
grigory gro gruffydd grzegorz guang guðbjörg gudmund guðmundur guðný gudrun guðrún guglielmo gül gülay gulbahar
gulmira gulnara gulnora gülşen gulshan gülsüm gulzat güneş gunhild gunilla gunn gunnhildur günter günther guntis
gunvor guo guram gurdeep gürkan gurmeet gurpreet gwenda gwenllian gwilym gyan györgy gyula ha-eun haakon habibur
habtamu hadas hadassah hadeel hadi haeun haf hafsa haider hailu haim hajar hajnalka hakan håkan hakob hakon håkon
halide halil halime halina halla halldór hallgrímur haluk halvard halvor hamad hamed hamid hamidreza hamish hanaa
hanako hanan handan hanh hani hanne hanneke hannele hannelore hannes hannu hansa harald haraldur hardik haris harish
harjit haroun harpreet harris harsha hartmut haruka haruko harun hashim hasmik hatem havel havva haya hayat hayk
hayri haytham heba héctor hedwig hefin hege heiða heike heikki heiko heiner heino heinz hélder heledd hélène helge
helgi helju helle helmut helvi hema hemant hemi hemlata hendra hendrika hengameh henk henning henrike heribert
heriberto hermelinda hermínia hernán heru heydar hicham hideaki hideki hideo hieu higinio hilario hilde hildur hilkka
hilmar hine hinemoa hipólito hiroko hiromi hiroshi hiroto hisashi hisham hitesh hitomi hitoshi hjalmar hjalti hjördís
hoa hohepa holger homa hong-mei honoré honza hooman horácio horațiu hörður horia horst höskuldur houshang hovhannes
hrafn hrafnhildur hrant hrefna hrvoje huda hugues huguette hui-min hulda hülya huong hüseyin huw huyen hye-jin hyejin
hynek hyun hyun-woo hywel iancu ibrahima ibtisam ichiro idris idrissa ieuan ieva ifan ifeanyi ifeoma ifor ifunanya
ignacy ihab ihaia ika ikenna ikram ilan ilana ilaria ildefonso ildikó ileana ilgar ilham ilhan ilias ilie ilinca
iliyana ilkay ilker ilkka illtyd ilmari ilze imad iman imani imogen imre inaam inácio iñaki inbal inci indah indra
indu ineke inés inês inese inge ingeborg ingemar inger ingibjörg ingo ingólfur ingrida ingvar ingvild iñigo inkeri
inmaculada inna innes intan ioan ioana ioane ioanna ioannis iolo ion ionel ionela ionuț iordanis iosif ipek iqbal
iraj irakli irem irén irfan irini irja irmgard isagani isaltina isamu isatou isaura iselin isha ishita isidro islam
islwyn ismet issa istván italo itamar itumelang itziar itzik iulia iulian iustin iván ivar ivaylo ivica ivo ivona
ivor ivy iwan iyabo izabela izumi jaak jaakko jaan jaana jaap jaber jabir jabulani jacek jacinto jacira jacoba
jacobus jacopo jadranka jadwiga jae-hyun jaehyun jagdish jagjit jahanara jalal jaleesa jamil jamila jamshid janaína
janez jānis janne jannes jannie jános janusz jarek jari jarmila jarmo jaromír jarosław jasmijn jasna jaswinder jatin
javad jawad jaya jayant jayanti jayashree jean-claude jean-luc jean-marc jean-marie jean-michel jean-paul jean-pierre
jejomar jelani jelka jelle jemima jenő jérémie jernej jeroen jerónimo jerzy jesús jesusa jhun ji-hoon ji-min ji-won
ji-woo jia-ling jiahui jiaming jianguo jianhua jiayi jignesh jihoon jimena jimin jin-young jindřich jingyi jiří
jiřina jiro jisoo jitendra jitka jiwon jiwoo joachim joão joaquim joaquín joaquina jochen joëlle jóhann jóhanna
jóhannes joko jolanta jomar jón jónína joon joost jordan jörg jorien joris jorunn jos josé josette josiane josip
josipa jostein josué jouni jovan jovelyn jože józef jožica józsef judit judita juha juhani juhi jukka júlia julián
julita juma jun-ho junho junichi junjie junko juozas juraj jūratė jure jürgen jurgis jurij juris jurre jussara jussi
justyna jutta jyldyz jyoti kaan kaarina kabir kadir kadri kagiso kahu kahurangi kai-wen kaija kailani kailash kairat
kaisa kaito kaja kajal kakha kalani kalev kalevi kalina kalliopi kálmán kalpana kalyani kamau kambiz kamel kamini
kamon kamran kamrul kana kanako kanat kanchan kanya kanykei kaori kaoru kapil karan karanga kåre kareem karel kári
karl-heinz karlygash karma karmen karol károly karsten karthik kartik kartika karuna kasia kaspars kasper kata
katalin katarína katarzyna katayoun kateřina katja katlego katri katrin katrín katsumi kaushik kaveh kaveri kavya
kazimierz kazue kazuki kazuko kazuo kazuya keabetswe kebede kees keiichi keiko keisuke kelechi kemal kenichi kenji
kenta kentaro keoni kerem kersti kerstin kęstutis ketan ketevan keti ketut keyvan kgosi khachik khadim khalifa khalil
khanh khanyisile khatuna khaya khosrow kimiko kimmo kimo kinga kipchoge kiprono kiprop kiri kirsi kirsty kirti
kishore kittisak kiyoshi kjartan kjell kjersti kjetil klara klára klaudia klemen knud knut koba koen kofi koichi koji
kojo kolbrún komal konstantin konstantina konstantinos koray kornél kostas kota kotaro kourosh krasimir krešimir
krishna kristaps kristijan kristín kristjan kristján kristoffer kristýna kriszta krisztián krisztina krystian
krystyna ksenia ksenija kuanysh kübra kuldeep kuldip külli kumara kumari kumiko kunal kurmanbek kurnia kusum květa
kwabena kwadwo kwaku kwame kwasi kwesi kyllikki kyoko kyriakos kyung lachlan ladan ladislav lado laetitia laima
laimis lajos lakisha lakshman lakshmi lala lale laleh lali lalita lamberto lambros lamia laoise lasantha lasha lasith
lasse lászló lata laurens laurențiu lauri laxman lazar léa lebo lebogang lech leela leelo leen lefteris lembit lenka
lenuța leocadia léon leoncio léonie leonor lerato leroy lestari leszek letizia lev levan levent lewis leyli lhamo
li-na libor libuše lídia lidija lieke lien liesbeth liesel lieven liezl liga līga ligaya lígia lihua liis liisa
lijuan lileas liliane liling lilit lilla limor linas lindani lindiwe linh linnea liora lisbet lise livio liviu
liviuța liwayway ljiljana ljubica lleucu llinos llywelyn lodewijk loes loïc lokesh loránd lorcan loredana losa lothar
loubna lourdes lourenço lowri lualhati luana lubna ľubomír luboš lucette lucía lúcia lucian lucienne lucrecia lucyna
luděk ludmila ludovica luigia luís luísa lukáš łukasz luminița lungile luningning lurdes lusine lutz luzviminda lwazi
lyubomir lyubov lyudmila maaike maarika maarit maarten maartje maata macarena mădălina maddalena madhavi madhu
madhuri madina mado maebh maeve mafalda magali magdaléna magdolna magnús mahbub mahealani mahela mahendra maher mahin
mahina mahmud mahmut mahnaz mahsa mahtab mai maike maiko maina mair máire mairead mairi máirín majed majid maka
makana makena maki makoa makoto maks maksat mala malachi malakai malaya malee małgorzata maliheh malin malinga malini
malle mallika mami mamta mamuka mana manabu manal manana manca mandana mandla manijeh manisha manju manjula manlio
manoj manolis manolo manpreet mansi manuk marama marat márcia márcio mareike mareikura marek marekhi maret margarete
margaux margherita margit margrét maría mária mariama marián mariangela maricel marichu marie-claire marie-laure
marie-thérèse marieke mariëtte marijan marijana marijke mariko marília marinko mariola marit marites mariusz marivic
mariya marja marjan marjatta marjeta marjolein márk markéta marketta marleen marlies marsaili mart márta marte marten
marthe martín mārtiņš márton marwan marzena masaaki masahiro masako masami masao masaru masashi masato masego
massimiliano massimo máté matěj mateja mateusz matevž mathabo mati matías matija matiu matjaž matúš matvei mátyás
mauri maurizio mauro máximo mayan maysa mayumi mazen maziar mbali mburu meaza mechthild meelis meena meenakshi meera
meerim megha megumi mehran mehrdad mehri mehul mei-ling meike meiling meinir meir meirion meital mekonnen melaku
mélanie melchor mele melek melih melike melis melita melquíades meltem menachem menna meral mereana meredydd mererid
merfyn merike merja merlin mersad mert meruert merve mesut metin mette mhairi mher mi-kyung michał michalis micheál
michela micheline michiko mieczysław mieke mieko miha mihael mihaela mihail mihajlo mihalis mihály mihi mihkel miho
mihoko mikheil mikkel mikko miklós mikołaj milada milka milorad miloš miloslav min-ji min-jun min-seo minako
mindaugas mingma mingzhu minji minjun minna minoo minoru minseo miran mircea mireille mirela mirella miren miri
mirjam mirjana mirko miro mirona miroslav mirosław misaki mithun mitja mitra mitsuko mitsuru miyuki mizanur mkrtich
mladen moana modou moez mogens mohale mohan mohini mohit mohsen moisés mojca mojgan momčilo momoko mónica mónika
morag morfydd morgane morten morteza morven mosi mothusi mounir mourad moustafa mozhgan mpho mridula mualla müge
muhammet muireann müjde mukesh mukul mümtaz muna munir murali murat murdo murray musa muthoni mutua muzna mwangi
mwende my-linh myfanwy mylène myrto mzia naama nabil nabila nachman nacho nada nadav nadège nader naděžda nadezhda
nadja nae naftali nagesh nagla nahed nahid nahla naim naina najat najib najla nalani naledi nalini nana nanami
nandini nándor nani nanjala nanna nao naoki naoko naoto narantuya narayan nare narek narendra naresh nargiza nari
nasim nasir nasreen nasrin nasser nataša natela natia natividad natnael natsuki natsuko nattapong naveen navjot navya
nawal nayef nazan nazanin nazgul nazih nazir nazira nazım nazlı ndidi necati necmi neda nedžad neel neelam neema
neeraj neeta negar neha nejc nelleke nélson nelu nemanja nenad nenita neo nerea nerijus nermin nerys neslihan nesrin
nessa nestor neusa nevena nevenka nevin nga ngaio ngaire ngan ngoc ngozi nguyet nhi nhung niall nicanor nicolae
nicolás nicoleta nicoletta nicușor nidhi niek nieves nigar nihal nihat nikica nikolaos nikolina nilesh nilgün
niloofar niloufar nilüfer nima nimal nimet nimisha ning nino nir niran nirmala nishant nishantha nissim nitesh nitin
nitya nitzan nizar njáll njeri njoroge nkechi nkosana nnamdi nnenna noboru nobuhle nobuko nobuo nodar nodira noé
noelani noelia noémi noémie nokuthula nomsa nomvula nona nonhlanhla nontsikelelo noortje nóra noriko norio normunds
nosipho noura nouran novak nqobile ntombi nuala nugzar nune nuno nunzia nura nurbek nuri núria nurit nurlan nursel
nursultan nuru nurzhan nusrat nuwan nwando nyambura nyokabi nyoman oana obdulia obinna ochieng octavian oddný oddvar
oded odete odile oduya ofer ofra ogechi ognjen ohad õie oighrig oisin oisín oiva okan okello oktay olabisi oladele
ólafur olamide olavi olayinka olcay oldřich ole oleg olegario oleksiy olena olgierd olha olivér olivera olívia oliwia
olli olof ólöf olu oluchi olufemi olumide oluwaseun olwen olympia ömer omid omnia omolara omri ondřej onur onyango
oonagh opeyemi orazio oren orestis orhan oriol orit orkhan orla órla orly ornella orsolya osagie osamu osei osian
óskar osmo otakar otar otávio otgonbayar othman ottavio ottó ousmane outi ove ovidiu owain oya øystein oyunaa ozan
özcan özge özgür özlem paavo paco padma padmini päivi pál palesa pálína pallavi palle palmira paloma panagiota
panagiotis pánfilo pania pankaj panos pantelis paora pär parag paraskevi pari parisa parminder parul parvaneh parvin
pasang pascale pascual pasquale patrícia patricio patrizia patrycja pavan pavla pavlína pavlos pawel paweł payal
payam paz peadar peder pedram peeter peigi pekka pelin pelle pemba penda peng pentti pepe perihan perlita pernille
pertti péter petko petre petri petru petter pétur petya peyman philippa phindile phong phuong phurba piedade piera
pierluigi piero pierrette piet pilar pim pina pinchas pippa piret piripi pirjo pirkko piroska pita piyush pınar
plácido plamen ploy policarpo polixeni polona pontsho pooja poonam pooya porn pouya prabha prabhakar prabin pradeep
pradeepa pramod pranav prasad prasert prashant pratibha pratik praveen pravin práxedes predrag preecha preeti prerna
priit primitivo primož prisca prithvi priti priya priyanka przemek przemysław puja pumla punam puneet purificación
purnima pushpa putri putu qasim qiang qing quan quang quintín quynh rabab rabia radek radha radhika radka radmila
radojka radomír radoslav radoslava radovan radu radwa raed rafał raffaele raffaella raffi rafi rafiq rafiqul raghad
raghav raghu ragna ragnar ragnheiður ragnhild raheem rahel rahim rahma rahmat raija raimo raimonds raimundo raisa
raivis raivo raj raja rajan rajani rajat rajeev rajendra rajiv rajni raju rakel rakesh rakhi raluca rama ramadan
raman ramazan ramesh rami ramin ramón ramūnas ramzi rana ranald rangi rani ranil ranjan ranjana ranjit raouf raphaël
rasha rashid rashida rashmi ratan rati ratko ratna rauf raúl ravi ravindra răzvan reda refik refilwe régine régis
rehab rei reidar reijo reiko reinhard reinhold réka rekha remedios rémi remus rémy ren renáta renate renato renaud
rendani rené renée renske renu renuka renzo reshma reuven revathi rewi reyhan reyhaneh rezo rhian rhodri rhydian rhys
ricardina richa ridha rie rienk rigoberto riham riikka riina riitta rik riku rima rinaldo rini rinus ritesh ritu
ritva rivka riyad rizal rizalino rizky rıza róbert rocío rodel rodolphe rogério rohini rohit roisin rok rokeya romain
romana romano romulo rómulo ronen rongo ronit roopa ropata rósa rosalía rosália rosamund rosaria rosaura roseline
roshan roshanak roshini roshni rostam rostislav roswitha roya rozália rózsa ruairi ruairí ruaridh ruba rubén rúben
rubina ruchi rudi rüdiger rufaro ruggero rui rumana rumen runar rúnar rune ruolan rupa rupali ruperto rupinder
ruprecht ruqayya ruslan rustam rusudan rūta rutendo rutger ruud ruwan ruxandra růžena ružica ryo ryoko ryota ryszard
ryuichi ryuji saad saadia saara saba sabah sabahattin sabino sabri sachiko sachin sadhana sadhbh sadia saeid sæunn
safa safiya saga sagar şahin saidou saif sajid saki salah saleem salete salif salih salim salima salman saltanat
salvador salwa saman samaneh samba samet samia samina sampath samuele sanae sanath sancho sanda sander sandhya sándor
sandrine sanela sanele sang-hoon sangeeta sanja sanjana sanjeev sanjin sanjiv sanna sanne santi santiago santosh
sanzhar saoirse sapna sára sarala sarangerel sargis sari sarit sarita šárka saroj sarolta saša sascha saskia sašo
satoko satomi satoru satu saturnino satyajit saúl saule saulius saumya saurabh saverio savita sawsan sayaka sayed
sayuri sayyid sead sebald sebastião şebnem sedat sedef seema sefina sefu segun seija seiji selahattin selam selamawit
selçuk selin selu sema semih semisi semra semyon senad senan şenol senthil senzo seo-yeon seo-yun seojun seonaid
seoyeon sepideh seppo serafima serap serdar sergej serhat serhiy şerif serik serkan setareh setsuko séverine severino
sevgi sevil sevim sevinç seydou sezen shabana shabnam shadi shahida shahin shahla shahnaz shahram shahrokh shai
shailaja shailesh shaima shaka shakeel shalini shalva shanice shaniqua shanitha shankar shanta shantanu shanthi
shapour sharad sharda sharmila shashi shaul shavkat shazia sheela sheetal shereen sherif sherzod sheyda shideh
shigeru shilpa shimon shinichi shinji shiori shirin shiro shiv shivani shlomit shmuel sho shoaib shobha shoji
shoshana shota shreya shruti shu shuang shubha shubham shufen shula shunsuke shushan shweta siamak sian siaosi sibel
sibongile sibusiso siddharth siegfried sieglinde sifiso sigita signe sigrid sigríður sigrún sigurbjörg sigurd
sigurður sigurjón siim silke silvana silvestre sílvia silvie silvija silviu sima simão simba simin simphiwe simran
sina sinan sindisiwe sindre sinead siniša sione sioned siosaia siphiwe sipho siranush siri şirin siriporn sirkka
sirpa siv sivan siyu sizwe sjoerd slađana slamet slava slaven slavica slavko sławomir smita smriti sneha snežana
snorri sofía sofiya soha soheila sohrab solange soledad solveig sólveig somchai somnath somsak sona soňa sonal sonali
sonam songül sónia soo-jin soo-yeon soojin sora soraya sorcha søren sorin sorina sorley soro soso sotiris souad
soumaya soumya sousan špela spyros srđan srečko sreedevi sridhar srikant srinivas stamatis stana stanimir stanislava
stanisław stanko stathis stavros stavroula stefán štefan ștefan stefania štefánia steffen stein steingrímur steinunn
stelios sten stepan štěpán stéphane stéphanie stig stijn stine stipe stjepan stojan stoyan struan sture su-jin suad
suat subhash subramaniam sudha sudhir suhail sujan sujata sujatha sukhdev sukhwinder şükrü sulaiman süleyman sultana
suman sumati sumaya sumiko sun-hee suna sunanda sundar sunee sung-ho sunghoon sunhee sunil sunniva supaporn surabhi
surekha surendra süreyya surinder suriya surjit surya susanti sushil sushila sushma susumu sutrisno svava svein
sveinn svenja sverre svetlana swapna swapnil swati sylvain sylwia synnøve szabolcs szilvia tadashi tadeo tadeusz
tadhg taeko tahani taher tahir tahmina taisiya taiwo takahiro takako takao takashi takeo takeshi takis takuma takumi
takunda takuya tal talal talant talgat tama tamari tamás tamati tamaz tamiko tamsin tamta tanaka tancredi tane tanel
tangaroa tanguy tânia tanja tansu tanuja tanvi tanvir tapani tapio tapiwa taraneh taras tarek tariq tariro tarık
tarja tarkan tarmo taro tarun tashi taslima tasos tatenda tatjana tatsuya tatyana taufiq tavita tawfiq tayfun tebogo
teemu tegwen teimuraz tejas tekin telesforo telmo temir temitope temur tendai tengiz tenzin teodoro teppo teresita
terézia terhi terje tero terttu tesfaye teshome tetsuo tetsuya teun tevita thabo thaksin thanasis thandapani thandeka
thandi thandiwe thanh thao themba thembi themis théo théodore theodoros thérèse thibault thierry thijmen thijs
thilini thilo thodoris thoko thor thorbjørn thorsten thorvald thuraya thusitha thuy tiago tiare tiberiu tibor
tichaona tien tigran tihana tihomir tiina tiit tijana tímea timo timofey timoteo timur tinatin tineke tipene titilayo
tivadar tiziana tiziano tjeerd toan togzhan toivo tola tolga tolkun tolu toma tomás tomáš tomaž tomé tomislav tomoko
tomomi tomos tonderai tõnis tõnu torbjörn tord toribio torill torquil torsten toru torunn tosca toshi toshiko toshio
tova tove traian trang traudl treasa trevon triantafyllos triin trine trinh trinidad troels trond truc trude trung
trupti truus tryggvi trygve tsegaye tsering tsetseg tshepo tsutomu tsuyoshi tsvetana tsvetelina tuan tuba tudor tudur
tufan tuğba tuğçe tuija tulsi tumelo tuncay tunde tünde tuomas tural turan turgut türkan tushar tuula tuuli tuyen
tuyet tyrell tyrese tzipi tzvi ubaldo uche uchenna uday udo ufuk ugo uğur uldis ulf uli ulla ülle ulrika ulrike
ulugbek uma umar umaru umesh umida ümit umut una ünal unathi unni unnur uno upul urho uriel urmas urmila uroš urša
ursel urška úrsula urszula uschi ute utkarsh uttam uwe uyen uzi václav vaea vaggelis vagif vahan vahid vaibhav vaida
väinö vaishali vakhtang valdemar valdis valérie valerio valgerður van-anh vandana vani vanja vano vardan varsha
vartan varun varvara vasant vasanti vasco vasil vasile vasilica vasilije vasiliki vasilis vassilis vasudha vasyl
vazgen vazha vedran veena veerle vegard veikko veiko venancio vendula venkat venkatesh věra verena verity veronika
véronique veselin vibeke vibha victoire victoria vid vidar vidas vidya viet vigdis viggo vijay vijaya vikas vikram
vikrant viktória vilborg viliami ville vilma vilmos vilnis vimala vinay vinayak vineet vinh vinko vinod viorel
viorica vipin vipul viraj virender virgilio virginia virginie virpi vishal vishnu višnja vít vitalik vitaly vito
vítor vitória vittoria vittorio viviane vjekoslav vladan vladimír vladimíra vlado vladuț vlasta vlatka vojislav
vojtěch volkan volker vsevolod vuk vusal vusi vuyo vyacheslav vytautas wacław wael wafa wahyu waimarie wairimu wairua
waldemar waleed walid waltraud wambui wangari wanjiku wanjiru wanza warren wasantha wasim wassim wataru wati waweru
wayan wei-ting weiming weiwei wen wenceslao wenjie weronika wessel wichai widad widya wies wiesław wiktor wilhelmine
willem willemijn wim wiremu witold władysław włodzimierz wole wolf wolfram wulan xabier xaver xenia xia xiang xiao
xiaohong xiaoli xiaolin xiaoming xin xiomara xiuying xuan xue xueying ya-ting yaacov yaakov yahya yair yakubu yalda
yamini yana yang yaniv yannis yanti yara yaron yaşar yasemin yaser yash yashoda yasin yasir yasuko yasuo yasushi
yavuz yaw yazan yegor yehuda yehudit yejin yekaterina yeliz yemi yeon-ju yerlan yerzhan yeşim yetunde yi yiannis
yichen yigal yishai yisrael yitzhak yıldız yılmaz ylfa ýmir yngve yoav yogesh yogita yohannes yoko yona yong-su
yordan yorgos yorick yoshi yoshie yoshiko yoshio yossi youko younes young-hee young-soo youngjae yousef youssra
yu-ting yuchen yudi yue yui yuichi yuji yuka yukari yuki yukiko yukio yulia yumi yumiko yun yunus yuriko yusof yusra
yusuke yuta yutaka yuto yuxuan yuya yves yvon zaal zacarías zafar zafer zaid zainal zainul zaki zala zamira žan
zandile zanele zarina žarko zarrin zaven zawadi zaza zbigniew zdena zdeněk zdenka zdeňka zdravka zdravko zdzisław
zeev zehava zeina zeki zélia željka željko zenaida zenebech zenon zerrin zev zhaleh zhanar zhanna zhen zhibek zhivko
zhiwei ziad zihan zinaida zinhle zita živko zixuan ziyoda zlata zlatan zlatko zmago zodwa zoé zohra zohreh zoi zoltán
zoraida zorica zoya zsófia zsolt zsuzsa zsuzsanna zubair zuberi zübeyde zulkifli zurab zuri zuzana zuzanna zuzka
zvonimir zvonko žygimantas zygmunt þóra þórarinn þórdís þórður þorsteinn þórunn
`

/** In lower case; hyphened names count whole. */
export const FIRST_NAMES: ReadonlySet<string> = new Set(NAMES.trim().split(/\s+/))
