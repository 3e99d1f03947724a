/**
 * Words too frequent to tell texts apart, by Snowball language: articles, pronouns, prepositions, conjunctions and
 * auxiliaries, after the lists of the Snowball project. `us` is left out of English: it is also a country. A language
 * without a list keeps all its words.
 */
const lists: Readonly<Record<string, string>> = {
  english: `a about above after again against all am an and any are aren't as at be because been before being below
    between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for
    from further had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him himself
    his how how's i i'd i'll i'm i've if in into is isn't it it's its itself let's me more most mustn't my myself no nor
    not of off on once only or other ought our ours ourselves out over own same shan't she she'd she'll she's should
    shouldn't so some such than that that's the their theirs them themselves then there there's these they they'd
    they'll they're they've this those through to too under until up very was wasn't we we'd we'll we're we've were
    weren't what what's when when's where where's which while who who's whom why why's will with won't would wouldn't
    you you'd you'll you're you've your yours yourself yourselves`,
  german: `aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus
    bei bin bis bist da damit dann das dass daß dasselbe dazu dein deine deinem deinen deiner dem den denn der derer des
    dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einig
    einige einigen er es etwas euch euer eure für gegen gewesen hab habe haben hat hatte hatten hier hin hinter ich ihm
    ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jene jenem jenen jener jetzt
    kann kein keine keinem keinen keiner können könnte machen man manche mein meine meinem meinen meiner mich mir mit
    muss musste nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner selbst sich sie sind so
    solche soll sollte sondern sonst über um und uns unser unsere unter viel vom von vor während war waren warst was
    weil welche welchem welchen welcher wenn werde werden wie wieder will wir wird wirst wo wollen würde würden zu zum
    zur zwar zwischen`,
  french: `à ai aie ait as au aura aux avait avec avez avons c ce ces cet cette d dans de des du elle elles en es est et
    étaient était été être eu eux fut il ils j je l la le les leur leurs lui m ma mais me même mes moi mon n ne nos notre
    nous on ont ou où par pas pour qu que qui s sa sans se sera ses si son sont sur t ta te tes toi ton tu un une vos
    votre vous y`,
  spanish: `a al algo algunas algunos ante antes como con contra cual cuando de del desde donde durante e el él ella
    ellas ellos en entre era eran es esa esas ese eso esos esta está estaba estado están estas este esto estos fue fueron
    ha había han has hasta hay he la las le les lo los más me mi mí mis mucho muy nada ni no nos nosotros o os otra otras
    otro otros para pero poco por porque que qué quien se sea ser si sí sido sin sobre son su sus también tanto te tenía
    tiene tienen todo todos tu tú tus un una unas uno unos y ya yo`,
  italian: `a ad agli ai al alla alle allo anche avere aveva c che chi ci come con contro cui d da dagli dai dal dalla
    dalle de degli dei del dell della delle dello di dov dove e è ed era erano essere fu gli ha hai hanno ho i il in io
    l la le lei li lo loro lui ma me mi mia mio ne negli nei nel nella nelle no noi non nostra nostro o per perché più
    quale quanto quella quelle quelli quello questa queste questi questo se sei si sia siamo sono sta su sua sue sugli
    sui sul sulla sulle suo suoi ti tra tu tua tuo tutti tutto un una uno vi voi`,
  portuguese: `a à ao aos aquela aquelas aquele aqueles aquilo as às até com como da das de dela delas dele deles depois
    do dos e é ela elas ele eles em entre era eram essa essas esse esses esta está estão estas este estes eu foi foram
    há isso isto já lhe lhes mais mas me mesmo meu meus minha muito na não nas nem no nos nós nossa nosso num numa o os
    ou para pela pelas pelo pelos por qual quando que quem se sem ser será seu seus só sua suas também te tem têm tinha
    tu tua um uma você vocês`,
  dutch: `aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een en er ge geen
    geweest haar had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je kan kon kunnen maar me meer men
    met mij mijn moet na naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch toen tot u uit uw
    van veel voor want waren was wat werd wezen wie wil worden wordt zal ze zelf zich zij zijn zo zonder zou`,
  swedish: `alla allt att av blev bli blir de dem den denna deras dess dessa det detta dig din dina ditt du där då efter
    ej eller en er ett från för ha hade han hans har henne hennes hon honom hur här i icke ingen inom inte jag ju kan
    kunde man med mellan men mig min mina mitt mot mycket ni nu när någon något några och om oss på samma sedan sig sin
    sina sitta själv skulle som så till under upp ut utan vad var vara vi vid vilken vår våra än är åt över`,
  danish: `ad af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter
    eller en end er et for fra ham han hans har havde have hende hendes her hos hun hvad hvis hvor i ikke ind jeg jer jo
    kunne man mange med meget men mig min mine mit mod ned noget nogle nu når og også om op os over på selv sig sin sine
    sit skal skulle som sådan thi til ud under var vi vil ville vor være været`,
  norwegian: `alle at av bare begge ble blir bli da de dei deg dem den denne der dere deres det dette din disse ditt du
    eg ein eit eller en enn er et ett etter for fordi fra før ha hadde han hans har henne hennes her hos hun hva hvem
    hver hvilken hvis hvor hvordan hvorfor i ikke inn ingen jeg kan kom kun kunne mange man med meg men mer min mitt mot
    mye nå når noe noen og også om opp oss over på samme seg selv sin sine sitt skal skulle slik som så til um under ut
    uten var ved vi vil ville vår være vært`,
  russian: `а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его ее если
    есть еще же за здесь и из или им их к как ко когда кто ли либо мне может мы на надо наш не него нее нет ни них но ну о
    об однако он она они оно от очень по под при с со так также такой там те тем то того тоже той только том ты у уже хотя
    чего чей чем что чтобы чье чья эта эти это я`,
};

const none: ReadonlySet<string> = new Set();
const sets = new Map<string, ReadonlySet<string>>();

/** The stop words of a Snowball language, lower case; empty for a language without a list. */
export function stopWords(language: string): ReadonlySet<string> {
  const known = sets.get(language);
  if (known !== undefined) return known;
  const list = Object.hasOwn(lists, language) ? lists[language] : undefined;
  const words = list === undefined ? none : new Set(list.split(/\s+/));
  sets.set(language, words);
  return words;
}
