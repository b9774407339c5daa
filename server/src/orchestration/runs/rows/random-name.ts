import { randomInt } from 'node:crypto';

const adjectives =
  'able agile amber ample apt bold brave brief bright brisk calm candid careful chatty clear clever cosmic crisp curious daring deft eager earnest easy elegant fair famous fancy fearless fleet fond frank free fresh gentle glad golden good grand great happy hardy hasty honest humble ideal jolly keen kind lively loyal lucid lucky merry mighty mild modest neat new nimble noble novel odd open patient placid plain playful polite prime proud quick quiet rapid ready real robust rosy safe sage serene sharp shiny silent simple sincere sleek smart smooth snug solid spry stable steady still stoic strong subtle sunny sure swift tame tidy tranquil true trusty upbeat valiant vast vivid warm wary wise witty zany zesty'.split(
    ' ',
  );
const animals =
  'aardvark albatross alpaca ant antelope badger bat bear beaver bee beetle bison boar bobcat buffalo butterfly camel capybara caribou cat cheetah chipmunk cicada cobra cod condor coyote crab crane cricket crow deer dingo dolphin dove dragonfly duck eagle echidna eel egret elk emu ermine falcon ferret finch firefly flamingo fox frog gazelle gecko gibbon giraffe gnu goat goose gopher grouse gull hamster hare hawk hedgehog heron hippo hornet horse husky hyena ibex ibis iguana impala jackal jaguar jay kestrel kingfisher kiwi koala koi kudu lark lemming lemur leopard lion lizard llama lobster lynx macaw magpie mammoth manatee marlin marmot marten meerkat mink mole moose mouse mule narwhal newt ocelot octopus orca oriole oryx osprey ostrich otter owl oyster panda panther parrot pelican penguin pheasant pigeon pony porcupine puffin puma python quail rabbit raccoon raven reindeer rhino robin salmon seal shark sheep shrew shrimp skink sloth snail sparrow spider squid squirrel starling stork swan swift tapir tiger toad toucan trout tuna turkey turtle viper vulture walrus wasp weasel whale wolf wombat wren yak zebra'.split(
    ' ',
  );

/** A two-word name such as `quiet-heron`, for a run without a name. */
export function randomRunName(): string {
  return `${adjectives[randomInt(adjectives.length)]}-${animals[randomInt(animals.length)]}`;
}
